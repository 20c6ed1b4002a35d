"""Synthetic results for the tests: complete result files with known distributions.

A distribution is given as {value_ns: count}. results_test.py validates them against
results/schema.json.
"""
import base64
import json
import math
import struct
import zlib

DIGITS = 3
HIGHEST_NS = 3_600_000_000_000
HALF = 1 << (math.ceil(math.log2(2 * 10**DIGITS)) - 1)


def index_of(value):
    """Bucket index of a value: the first 2 * HALF buckets are 1 wide, each further HALF buckets
    twice as wide as those before."""
    shift = max(0, value.bit_length() - (2 * HALF - 1).bit_length())
    return shift * HALF + (value >> shift)


def zigzag(number):
    number = number << 1 if number >= 0 else (-number << 1) - 1
    coded = bytearray()
    while number >= 0x80 and len(coded) < 8:
        coded.append(number & 0x7F | 0x80)
        number >>= 7
    coded.append(number)
    return bytes(coded)


def encode(values):
    """HdrHistogram V2, compressed, base64, of {value: count}."""
    slots = {}
    for value, count in values.items():
        slots[index_of(value)] = slots.get(index_of(value), 0) + count
    payload, reached = b"", 0
    for index in sorted(slots):
        if index > reached:
            payload += zigzag(reached - index)
        payload += zigzag(slots[index])
        reached = index + 1
    header = struct.pack(">iiiiqqd", 0x1C849313, len(payload), 0, DIGITS, 1, HIGHEST_NS, 1.0)
    body = zlib.compress(header + payload)
    return base64.b64encode(struct.pack(">ii", 0x1C849314, len(body)) + body).decode()


def quantile(values, q):
    """The smallest value that at least q * total of the values do not exceed."""
    rank = max(1, math.ceil(round(q * sum(values.values()), 6)))
    for value in sorted(values):
        rank -= values[value]
        if rank <= 0:
            return value
    return 0


def latency(values, overflow=0):
    total = sum(values.values())
    return {"count": total, "min_ns": min(values, default=0),
            "mean_ns": sum(v * n for v, n in values.items()) / total if total else 0.0,
            "p50_ns": quantile(values, 0.5), "p90_ns": quantile(values, 0.9),
            "p99_ns": quantile(values, 0.99), "p99_9_ns": quantile(values, 0.999),
            "p99_99_ns": quantile(values, 0.9999), "max_ns": max(values, default=0),
            "overflow": overflow, "hdr": encode(values)}


def merged(distributions):
    total = {}
    for values in distributions:
        for value, count in values.items():
            total[value] = total.get(value, 0) + count
    return total


def lognormal(median_ns, sigma, count, tail=()):
    """`count` values at the midpoint quantiles of a log-normal law, plus the values in `tail`."""
    from statistics import NormalDist
    values = {}
    for k in range(count):
        z = NormalDist().inv_cdf((k + 0.5) / count)
        value = max(1, round(median_ns * math.exp(sigma * z)))
        values[value] = values.get(value, 0) + 1
    return merged([values, *({value: 1} for value in tail)])


def load(rate_hz=10_000.0, **changes):
    plan = {"shape": "steady" if rate_hz else "max", "rate_hz": rate_hz, "end_rate_hz": rate_hz,
            "burst_events": 0, "burst_gap_s": 0.0, "threads": 1, "payload": "128",
            "warmup_s": 0.5, "duration_s": 2.0, "events": 0, "pacing": "hybrid", "seed": 1}
    return plan | changes


def interval(start_ns, end_ns, values):
    return {"start_ns": start_ns, "end_ns": end_ns, "service": latency(values),
            "response": latency(values)}


def trial(response, service=None, *, index=0, step=0, plan=None, intervals=(), **changes):
    """A completed trial with a balanced ledger. `intervals`: distributions, 100 ms each."""
    plan = plan or load()
    service = response if service is None else service
    emitted, start_ns = sum(response.values()), 700_000_000
    cut = [interval(start_ns + k * 100_000_000, start_ns + (k + 1) * 100_000_000, values)
           for k, values in enumerate(intervals)]
    made = {
        "index": index, "step": step, "run": index + 1, "load": plan, "outcome": "completed",
        "outcome_detail": "", "started_utc": "2026-01-02T03:04:05Z", "start_ns": start_ns,
        "end_ns": start_ns + 2_000_000_000, "measured": emitted, "unissued": 0,
        "achieved_rate_hz": plan["rate_hz"], "rate_missed": False, "service": latency(service),
        "response": latency(response), "start_lag": latency({40: emitted} if emitted else {}),
        "intervals": cut,
        "slowest": [{"thread": 0, "sequence": 7, "intended_ns": start_ns, "start_ns": start_ns,
                     "end_ns": start_ns + max(response, default=0), "cpu": 1}],
        "ledger": {"checked": True, "emitted": emitted, "delivered": emitted, "lost": 0,
                   "unaccounted": 0,
                   "losses": [{"cause": "full", "reported_by": "session", "events": 0}],
                   "duplicates": 0, "reordered": 0, "corrupted": 0, "damaged_bytes": 0,
                   "foreign": 0, "in_flight": 0, "unaccounted_cause": ""},
        "consumer": {"mode": "live", "events": emitted, "bytes": 128 * emitted, "read_s": 0.1,
                     "poll_interval_s": 0.001, "delivery": latency(response)},
        "noise": {"observed_ns": 100_000_000, "gaps_over_10us": 3, "gaps_over_100us": 1,
                  "gaps_over_1ms": 0, "max_gap_ns": 240_000, "lost_share": 0.003},
        "floor": {"service": latency({30: 900, 32: 100}), "loop_ns": 45.0,
                  "two_clock_reads_ns": 28.0},
        "memory_locked": True, "granted": [{"name": "mode", "value": "write"}], "remarks": [],
    }
    return made | changes


def step_summary(trials, responses, services, saturated=False):
    """The summary of one step's trials with these distributions."""
    first = trials[0]
    response = latency(merged(responses))
    return {"step": first["step"], "rate_hz": first["load"]["rate_hz"],
            "achieved_rate_hz": first["achieved_rate_hz"], "trials": len(trials),
            "saturated": saturated, "service": latency(merged(services)), "response": response,
            "delivery": response}


def result(summary, trials, *, sink="file", scenario="steady", **changes):
    option = [{"name": "mode", "value": "write"}]
    made = {
        "format": "tailgate-result", "version": 1, "id": "0123456789abcdef",
        "started_utc": "2026-01-02T03:04:00Z", "finished_utc": "2026-01-02T03:05:00Z",
        "complete": True, "label": "",
        "scenario": {"name": scenario, "preset": "", "options": option},
        "sink": {"name": sink.split(":")[0], "label": sink, "options": option, "live_read": True,
                 "read_back": True, "accounts_losses": True, "asynchronous": False},
        "placement": {"load_cpus": [1], "controller_cpus": [0], "consumer_cpus": [0]},
        "machine": {"fingerprint": "a1b2c3d4e5f60718", "os": "Debian GNU/Linux 12",
                    "kernel": "6.1.0", "cpu_model": "Example CPU 2.0 GHz", "logical_cpus": 2,
                    "memory_bytes": 8 << 30, "hypervisor": "none seen", "details": option},
        "build": {"version": "0.1.0", "revision": "0123456789", "dirty": False,
                  "compiler": "gcc 12.2", "flags": "-O3", "type": "Release"},
        "clock": {"kind": "tsc", "frequency_hz": 2e9, "error_ppm": 1.0, "read_cost_ns": 11.0,
                  "cross_core_offset_ns": 0.0, "cross_core_bound_ns": 90.0,
                  "drift_against_monotonic_ppm": 0.0, "drift_against_realtime_ppm": 2.0},
        "summary": summary, "trials": trials, "remarks": [],
    }
    return made | changes


def steady(responses, services=None, *, rate_hz=10_000.0, intervals=(), **changes):
    """A run of one step. `responses` and `services` have one distribution per trial, `intervals`
    the distributions of every trial's intervals."""
    services = services or responses
    trials = [trial(response, service, index=k, plan=load(rate_hz), intervals=intervals)
              for k, (response, service) in enumerate(zip(responses, services))]
    return result([step_summary(trials, responses, services)], trials, **changes)


def roles(**shares):
    """A step's overhead: the share of the machine in percent, by role; 1 % is 1000 ns."""
    return [{"role": role, "trials": 3,
             "cpu_ns_per_event": {"mean": 1000.0 * percent, "half_width": 100.0},
             "machine_percent": {"mean": float(percent), "half_width": 0.1}}
            for role, percent in shares.items()]


def tail(measure="response", causes=(), culprits=(), **changes):
    """An explained tail of ten calls; `causes` and `culprits`: (name, ns) each."""
    excess_ns = sum(ns for _, ns in causes)
    made = {"measure": measure, "quantile": 0.999, "threshold_ns": 50_000, "usual_ns": 1000,
            "calls": 10, "calls_missing": 0, "time_ns": excess_ns + 10_000, "excess_ns": excess_ns,
            "causes": [{"cause": cause, "time_ns": ns, "excess_ns": ns, "calls": 10}
                       for cause, ns in causes],
            "culprits": [{"cause": "waiting", "name": name, "pid": 9, "time_ns": ns, "calls": 5}
                         for name, ns in culprits]}
    return made | changes


def explained(tails, *, complete=True, **changes):
    """A steady run with one traced trial that has these explained tails."""
    data = steady([{900: 100}], **changes)
    trace = {"method": "kernel_trace", "limits": "", "start_ns": 0, "end_ns": 10**10,
             "records": 1000, "bytes": 64_000, "losses": [], "damaged_bytes": 0,
             "mismatched_switches": 0, "system_calls": True, "complete": complete}
    made = trial({900: 100}) | {"explanation": {"trace": trace, "tails": list(tails), "calls": [],
                                                "calls_left_out": 0, "windows": []}}
    return data | {"version": 3, "explained": True, "traced": [made]}


def sweep(steps, **changes):
    """A run of the sweep; `steps`: (rate_hz, achieved_rate_hz, saturated, distribution) each."""
    summary, trials = [], []
    for number, (rate_hz, achieved_rate_hz, saturated, values) in enumerate(steps):
        trials.append(trial(values, index=number, step=number, plan=load(rate_hz),
                            achieved_rate_hz=achieved_rate_hz, rate_missed=saturated))
        summary.append(step_summary(trials[-1:], [values], [values], saturated))
    return result(summary, trials, scenario="sweep", **changes)


def answered(data, question, figures, *, cannot=(), holds=None):
    """The result with this answer; `figures`: {name: value or (value, low, high)}."""
    made = []
    for name, value in figures.items():
        value, *ends = value if isinstance(value, tuple) else (value,)
        known = {end: number for end, number in zip(("low", "high"), ends) if number is not None}
        made.append({"name": name, "value": value, "trials": 3, "about": "figure", **known})
    answer = {"question": question, "sentence": "An answer.", "figures": made,
              "cannot": list(cannot)}
    return data | {"answer": answer | ({} if holds is None else {"holds": holds})}


def crashed(figures, *, cannot=(), **changes):
    """A run of `crash` with these figures."""
    return answered(steady([{900: 100}] * 3, scenario="crash", **changes), "crash", figures,
                    cannot=cannot)


def toggled(figures, *, cannot=(), **changes):
    """A run of `toggle` with these figures."""
    return answered(steady([{900: 100}] * 3, scenario="toggle", **changes), "toggle", figures,
                    cannot=cannot)


def stopped(response, intervals=(), *, p90_per_stop=0.9, stop_ns=100e6, who="program", holds=True,
            **changes):
    """A run of `stopped` whose only stop begins as recording does, with these distributions of its
    intervals of 100 ms."""
    data = steady([response], intervals=intervals, scenario="stopped", **changes)
    trial = data["trials"][0]
    trial["actions"] = [{"what": "stop", "who": who, "process": "provider", "event": 0,
                         "at_ns": trial["start_ns"], "refused": ""}]
    return answered(data, "stopped", {"p90_per_stop": (p90_per_stop, 0.8, 1.0),
                                      "stop_ns": stop_ns}, holds=holds)


def tried(question, steps, figures, **changes):
    """A run with a step each of [(load, [changes of a trial])]."""
    summary, trials = [], []
    for number, (plan, each) in enumerate(steps):
        of_step = [trial({900: 100}, index=len(trials) + k, step=number, plan=plan) | change
                   for k, change in enumerate(each)]
        trials += of_step
        summary.append(step_summary(of_step, [{900: 100}], [{900: 100}]))
    return answered(result(summary, trials, scenario=question, **changes), question, figures)


def write(folder, data, name="result.json"):
    """Writes the result to a file; returns its path."""
    path = folder / name
    path.write_text(json.dumps(data))
    return path
