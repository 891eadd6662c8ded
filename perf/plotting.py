"""Common parts of the plots of perf/: colours, the line that describes the measurement, and labels."""

import json
import re
import statistics
import sys
from pathlib import Path

# The palette of Okabe and Ito for colour-blind readers, without yellow, which is too pale on white.
VERMILION, BLUE, GREEN, PURPLE = "#D55E00", "#0072B2", "#009E73", "#CC79A7"
ORANGE, SKY, BROWN, GREY = "#E69F00", "#56B4E9", "#7F5F3F", "#8A8A8A"


def describe(context):
    """The device, the execution space and the versions of a measurement."""
    parts = [context.get("device") or context.get("host_name", "unknown device")]
    if context.get("execution_space") not in (None, "Cuda"):
        parts.append(f"{context['execution_space']}, concurrency {context.get('concurrency', '?')}")
    if "cuda_runtime_version" in context:
        parts.append(f"CUDA {context['cuda_runtime_version']}")
    if "kokkos_version" in context:
        parts.append(f"Kokkos {context['kokkos_version']}")
    commit = " ".join(context[key] for key in ("riffle_commit", "riffle_commit_date") if key in context)
    if "riffle_version" in context:
        parts.append(f"Riffle {context['riffle_version']}" + (f" ({commit})" if commit else ""))
    return "; ".join(parts)


def series_of(row):
    """The algorithm and n of a row, or None if the row is not a measurement."""
    if row.get("error_occurred") or row.get("skipped") or "items_per_second" not in row:
        return None
    if row.get("run_type") == "aggregate" and row.get("aggregate_name") != "median":
        return None
    match = re.match(r"(.*?)/n:(\d+)", row.get("run_name", row["name"]))
    return (match[1], int(match[2])) if match else None


def read_rates(path):
    """The context, and {(algorithm, n): items per second}."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        rows = document["benchmarks"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path} is no JSON of Google Benchmark: {error}")
    medians, repetitions = {}, {}
    for row in rows:
        key = series_of(row)
        if key is None:
            continue
        if row.get("run_type") == "aggregate":
            medians[key] = row["items_per_second"]
        else:
            repetitions.setdefault(key, []).append(row["items_per_second"])
    rates = {key: statistics.median(values) for key, values in repetitions.items()}
    return document.get("context", {}), {**rates, **medians}


def darkened(colour):
    """A darker colour for text, which needs more contrast than lines."""
    from matplotlib.colors import to_rgb
    return tuple(0.75 * part for part in to_rgb(colour))


def label_ends(axes, ends):
    """Writes each line's name to the right of its last point, and moves apart names that would overlap.

    ends: [(x, y, label, colour)] in data coordinates.
    """
    height = axes.get_window_extent().height
    line_height = 12.5 * axes.figure.dpi / 72
    to_pixels = axes.transData.transform
    places = sorted(([to_pixels((x, y))[1], x, y, label, colour] for x, y, label, colour in ends), key=lambda p: p[0])
    bottom = axes.transAxes.transform((0, 0))[1]
    for i in range(1, len(places)):
        places[i][0] = max(places[i][0], places[i - 1][0] + line_height)
    overhang = places[-1][0] - (bottom + height) if places else 0
    for i in range(len(places) - 1, -1, -1):
        ceiling = places[i + 1][0] - line_height if i + 1 < len(places) else places[i][0] - max(0, overhang)
        places[i][0] = min(places[i][0], ceiling)
    for pixel, x, y, label, colour in places:
        axes.annotate(
            label, xy=(x, y), xytext=(1.035, (pixel - bottom) / height), textcoords=axes.transAxes,
            color=darkened(colour), fontsize=9, va="center",
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6, "relpos": (0, 0.5), "shrinkA": 1, "shrinkB": 4},
        )


def write_head(fig, title, subtitle):
    fig.text(0.08, 0.95, title, fontsize=12, weight="bold", va="center")
    fig.text(0.08, 0.905, subtitle, fontsize=8.5, color="#444444", va="center")


def tidy(axes):
    axes.grid(True, which="major", color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def save(fig, target):
    from matplotlib import pyplot as plt
    target.parent.mkdir(parents=True, exist_ok=True)
    fig.savefig(target, metadata={"Date": None})
    plt.close(fig)
    print(target)


def set_up_matplotlib(program):
    try:
        import matplotlib
    except ModuleNotFoundError:
        sys.exit(f"{program}: needs matplotlib: install it (Debian: apt install python3-matplotlib)")
    matplotlib.use("svg")
    # Text is not converted to paths, and the output is deterministic.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "riffle", "font.family": "sans-serif"})
