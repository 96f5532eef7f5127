"The lowest versions that settings.ini allows, as constraints for pip; those of tools for a clone are free."
from configparser import ConfigParser
from pathlib import Path

def lowest_versions():
    "name==version, sorted: of the package's requirements and of its extras"
    reader = ConfigParser(delimiters=["="])
    reader.read(Path(__file__).resolve().parent.parent/"settings.ini", encoding="utf-8")
    config = reader["DEFAULT"]
    free = "dev_requirements", "bench_requirements"
    kinds = [kind for kind in config if kind.endswith("requirements") and kind not in free]
    return sorted({one.replace(">=", "==") for kind in kinds for one in config[kind].split()})

if __name__ == "__main__": print(*lowest_versions(), sep="\n")
