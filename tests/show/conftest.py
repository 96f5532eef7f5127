"Every picture can also be rendered, and none stays open."
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def close(request):
    yield
    case = getattr(request.node, "callspec", None)
    is_one_of_many = case is not None and case.params.get("seed", 0) >= 10     # ten of a hundred do
    if not is_one_of_many:
        for number in plt.get_fignums(): plt.figure(number).canvas.draw()
    plt.close("all")
