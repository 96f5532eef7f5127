"Every field of the package's metadata comes from settings.ini."
import re
from configparser import ConfigParser
from pathlib import Path

from setuptools import find_packages, setup

here = Path(__file__).parent
config = ConfigParser(delimiters=["="])
config.read(here/"settings.ini", encoding="utf-8")
cfg = config["DEFAULT"]

def from_anywhere(text):
    "Links that are right at the top of the project, made right on a registry's page"
    home, branch = cfg["git_url"], cfg["branch"]
    text = re.sub(r"(!\[[^\]]*\]\()(?![a-z]+:|#|/)", rf"\1{home}/raw/{branch}/", text)
    return re.sub(r"(?<!!)(\[[^\]]*\]\()(?![a-z]+:|#|/)", rf"\1{home}/blob/{branch}/", text)

classifiers = [
    "Development Status :: 3 - Alpha",
    f"Intended Audience :: {cfg['audience']}",
    "Operating System :: OS Independent",
    "Programming Language :: Python :: 3",
    *[f"Programming Language :: Python :: {version}" for version in cfg["pythons"].split()],
    "Topic :: Scientific/Engineering",
    "Topic :: Scientific/Engineering :: Artificial Intelligence",
    "Topic :: Scientific/Engineering :: Bio-Informatics",
    "Typing :: Typed",
]
urls = {
    "Documentation": cfg["doc_host"]+cfg["doc_baseurl"],
    "Source": cfg["git_url"],
    "Changelog": f"{cfg['git_url']}/blob/{cfg['branch']}/CHANGELOG.md",
    "Issues": f"{cfg['git_url']}/issues",
}

setup(
    name=cfg["lib_name"],
    version=cfg["version"],
    description=cfg["description"],
    long_description=from_anywhere((here/"README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
    author=cfg["author"],
    author_email=cfg["author_email"],
    license="Apache-2.0",
    license_files=["LICENSE"],
    url=cfg["git_url"],
    project_urls=urls,
    keywords=cfg["keywords"].split(),
    classifiers=classifiers,
    packages=find_packages(include=[cfg["lib_path"], cfg["lib_path"]+".*"]),
    package_dir={"": "."},      # an editable install is then a path, not shadowed by the clone's folder
    package_data={"": ["py.typed", "*.pyi", "*.html"]},
    python_requires=f">={cfg['min_python']}",
    install_requires=cfg["requirements"].split(),
    extras_require={kind.removesuffix("_requirements"): cfg[kind].split()
                    for kind in cfg if kind.endswith("_requirements")},
    entry_points={"console_scripts": cfg["console_scripts"].split(),
                  "nbdev": [f"{cfg['lib_name']}={cfg['lib_name']}._modidx:d"]},
)
