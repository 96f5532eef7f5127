"""A place for what numba compiles, also where no folder can be written; and a line before it does.

numba keeps it beside the source, or else among the user's caches, and refuses to import a kernel
where it can write neither: in a container that is read-only, or under an account without a home.
Then it is kept in a temporary folder until the process ends. Written by hand.
"""
import atexit, os, sys

def can_write(folder):
    "Whether a folder takes files, or can be made"
    folder = os.path.abspath(folder)
    while not os.path.exists(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)

def has_cache():
    "Whether numba has a folder: its variable's, the user's or the package's"
    if os.environ.get("NUMBA_CACHE_DIR"): return True
    homes = {"win32": os.environ.get("LOCALAPPDATA", "~"), "darwin": "~/Library/Caches"}
    home = homes.get(sys.platform, os.environ.get("XDG_CACHE_HOME", "~/.cache"))
    if can_write(os.path.join(os.path.expanduser(home), "numba")): return True
    return can_write(os.path.join(os.path.dirname(__file__), "__pycache__"))

def lend_cache():
    "A temporary folder, told by numba's variable, which child processes inherit"
    import shutil, tempfile
    for place in (None, "/dev/shm"):        # a read-only container may have the second alone
        try: folder = tempfile.mkdtemp(prefix="fsnb-numba-", dir=place)
        except OSError: continue
        os.environ["NUMBA_CACHE_DIR"] = folder
        if "numba" in sys.modules: sys.modules["numba"].config.CACHE_DIR = folder
        owner = os.getpid()
        atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))
        return

_looked = False

def tell_compiling():
    "A line on stderr before the first fit after an installation, which compiles its kernels"
    global _looked
    if _looked: return
    _looked = True
    import multiprocessing
    if multiprocessing.current_process().name != "MainProcess": return    # whose parent has told
    folders = {getattr(getattr(value, "_cache", None), "cache_path", None)
               for name, module in list(sys.modules.items()) if name.startswith(f"{__package__}.")
               for value in list(vars(module).values())}
    folders.discard(None)               # none is left without JIT: there is nothing to compile
    kept = any(name.endswith(".nbi") for folder in folders if os.path.isdir(folder)
               for name in os.listdir(folder))
    if folders and not kept:
        print("fsnb: compiling, once after installation: about ten seconds", file=sys.stderr, flush=True)

if not has_cache(): lend_cache()
