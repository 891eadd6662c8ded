#!/usr/bin/env python3
"""Writes permutations by generators of Python's libraries, for `perf_quality audit` and tools/audit.

    permutations.py list
    permutations.py write GENERATOR N --samples K --seed S   K permutations, drawn one after the other from seed S
    permutations.py write GENERATOR N --seeds FILE           the first permutation of each seed in FILE
    permutations.py write GENERATOR N                        the first one of the state in which the library starts
    permutations.py write GENERATOR N --forked               likewise, in each of two processes that are forked from one

Permutations of 0, ..., N - 1 go to standard output as unsigned integers of 32 bits, the least significant byte first. If
a generator refuses a seed of a file, all bits of this permutation are 1. Libraries that are not installed are left
out of the list. perf_permutations and permutations.R have the same commands.
"""

import argparse
import os
import platform
import random
import sys

GENERATORS = {}  # name: (version, device, begin(seed or None) -> function of n and the number of permutations)


def generator(name, version, device):
    def add(begin):
        GENERATORS[f"{name} ({device})"] = (version, device, begin)
        return begin
    return add


def one_by_one(draw):
    """A stream, of a function that draws one permutation of n points."""
    return lambda n, count: (draw(n) for _ in range(count))


@generator("random.shuffle", f"Python {platform.python_version()}", "CPU")
def python_shuffle(seed):
    source = random if seed is None else random.Random(seed)

    def draw(n):
        values = list(range(n))
        source.shuffle(values)
        return values
    return one_by_one(draw)


def add_numpy():
    import numpy
    version = f"NumPy {numpy.__version__}"

    @generator("numpy.random.Generator.permutation", version, "CPU")
    def numpy_generator(seed):
        return one_by_one(numpy.random.default_rng(seed).permutation)

    @generator("numpy.random.permutation", version, "CPU")
    def numpy_global(seed):
        if seed is not None:
            numpy.random.seed(seed)
        return one_by_one(numpy.random.permutation)


def add_torch():
    import torch

    def add(device, name):
        @generator("torch.randperm", f"PyTorch {torch.__version__}", name)
        def randperm(seed):
            if seed is not None:
                torch.manual_seed(seed)
            return one_by_one(lambda n: torch.randperm(n, device=device).cpu().numpy())

    add("cpu", "CPU")
    if torch.cuda.is_available():
        add("cuda", "GPU")


def add_jax():
    import jax
    import numpy

    def stream_of(key):
        def stream(n, count):
            nonlocal key
            for first in range(0, count, 4096):
                key, *keys = jax.random.split(key, min(4096, count - first) + 1)
                yield from numpy.asarray(jax.vmap(lambda k: jax.random.permutation(k, n))(jax.numpy.stack(keys)))
        return stream

    def add(device, name):
        @generator("jax.random.permutation", f"JAX {jax.__version__}", name)
        def permutation(seed):
            if seed is None:
                raise ValueError("this generator needs a seed")
            jax.config.update("jax_default_device", device)
            return stream_of(jax.random.key(seed))

    add(jax.devices("cpu")[0], "CPU")
    try:
        add(jax.devices("cuda")[0], "GPU")
    except RuntimeError:
        pass  # no GPU


def add_cupy():
    import cupy
    if cupy.cuda.runtime.getDeviceCount() == 0:
        return

    @generator("cupy.random.permutation", f"CuPy {cupy.__version__}", "GPU")
    def permutation(seed):
        if seed is not None:
            cupy.random.seed(seed)
        return one_by_one(lambda n: cupy.random.permutation(n).get())


LIBRARIES = {"numpy": add_numpy, "torch": add_torch, "jax": add_jax, "cupy": add_cupy}


def add_installed(libraries):
    for library in libraries:
        try:
            LIBRARIES[library]()
        except ImportError:
            pass


def as_bytes(values):
    if isinstance(values, list):
        from array import array
        words = array("I", values)
        if sys.byteorder != "little":
            words.byteswap()
        return words.tobytes()
    return values.astype("<u4").tobytes()


def first_of(begin, seed, n):
    """The first permutation of a seed, or all bits 1 if the generator refuses the seed."""
    try:
        return as_bytes(next(iter(begin(seed)(n, 1))))
    except (OverflowError, TypeError, ValueError, RuntimeError):
        return b"\xff" * (4 * n)


def write(begin, arguments, out):
    if arguments.seeds:
        with open(arguments.seeds, encoding="utf-8") as lines:
            for line in lines:
                out.write(first_of(begin, int(line), arguments.n))
    else:
        for values in begin(arguments.seed)(arguments.n, arguments.samples):
            out.write(as_bytes(values))
    out.flush()


def write_forked(begin, arguments, out):
    """The parent has drawn a permutation, as a program has that starts workers in its middle."""
    stream = begin(None)
    list(stream(arguments.n, 1))
    for _ in range(2):
        child = os.fork()
        if child == 0:
            for values in stream(arguments.n, 1):
                out.write(as_bytes(values))
            out.flush()
            os._exit(0)
        os.waitpid(child, 0)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    writer = commands.add_parser("write")
    writer.add_argument("generator")
    writer.add_argument("n", type=int)
    writer.add_argument("--samples", type=int, default=1)
    writer.add_argument("--seed", type=int)
    writer.add_argument("--seeds", metavar="FILE")
    writer.add_argument("--forked", action="store_true")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.command == "list":
        add_installed(LIBRARIES)
        for name, (version, device, _) in GENERATORS.items():
            print(name, version, device, sep="\t")
        return
    # The name of a generator begins with its library; the import of another one takes seconds.
    add_installed(LIBRARIES.keys() & {arguments.generator.split(".")[0]})
    if arguments.generator not in GENERATORS:
        sys.exit(f"permutations.py: no generator {arguments.generator}")
    begin = GENERATORS[arguments.generator][2]
    (write_forked if arguments.forked else write)(begin, arguments, sys.stdout.buffer)


if __name__ == "__main__":
    main()
