"Every picture can also be rendered, and none stays open."
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt, pytest

@pytest.fixture(autouse=True)
def close():
    yield
    for number in plt.get_fignums(): plt.figure(number).canvas.draw()
    plt.close("all")
