"""What memopt-raise leaves, read from the text it prints."""
import collections
import re


def top_level(text):
    """The lines of `text` outside the bodies of raised ops."""
    lines, inside = [], None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if inside is None:
            lines.append(line)
            if re.search(r"memopt\.(activation|norm) .*\{$", line):
                inside = indent
        elif indent == inside and line.strip().startswith("}"):
            inside = None
    return lines


def count(text):
    """How many of each op there are: 'gelu_erf', 'gelu_erf grad', 'layer', 'layer dx',
    'layer dgamma', 'layer dbeta', 'rms', ..., and 'left erf' and the like for what
    stands loose in the function. A result of a norm_grad counts where it is read."""
    lines = top_level(text)
    found = collections.Counter()
    reads = collections.Counter(re.findall(r"%[\w#]+", "\n".join(lines)))
    for line in lines:
        match = re.match(r"\s*(.*?) = memopt\.(\w+) (\w+)", line)
        if match:
            results, op, kind = match.groups()
            if op == "activation_grad":
                found[f"{kind} grad"] += 1
            elif op == "norm_grad":
                for name, result in zip(("dx", "dgamma", "dbeta"), results.split(", ")):
                    found[f"{kind} {name}"] += reads[result] > 1
            else:
                found[kind] += 1
        loose = re.search(r"math\.(erf|erfc|tanh|rsqrt|sqrt|powf)\b", line)
        if loose:
            found[f"left {loose[1]}"] += 1
    return {name: n for name, n in sorted(found.items()) if n}
