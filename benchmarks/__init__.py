"Ratios side by side, in one process and on one thread: `python -m benchmarks [name ...] [--quick]`."
