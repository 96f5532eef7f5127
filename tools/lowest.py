"The lowest versions that settings.ini allows, as constraints for pip; of the tools for a clone only polars, whose frames users pass."
from configparser import ConfigParser
from pathlib import Path


def lowest_versions():
    "name==version, sorted: of the package's requirements, of its extras, and of polars"
    reader = ConfigParser(delimiters=["="])
    reader.read(Path(__file__).resolve().parent.parent/"settings.ini", encoding="utf-8")
    config = reader["DEFAULT"]
    free = "dev_requirements", "bench_requirements"
    kinds = [kind for kind in config if kind.endswith("requirements") and kind not in free]
    asked = [one for kind in kinds for one in config[kind].split()]
    asked += [one for one in config["dev_requirements"].split() if one.startswith("polars>=")]
    return sorted({one.replace(">=", "==") for one in asked})

if __name__ == "__main__": print(*lowest_versions(), sep="\n")
