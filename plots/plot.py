#!/usr/bin/env python3
"""Draws every plot for which the given results have data. `tailgate plot` calls this script."""
import capacity
import causes
import command
import contention
import crash
import delivery
import disabled
import fields
import histogram
import kernel_flags
import losses
import over_time
import overhead
import parity
import payload
import percentiles
import queue_answer
import ranking
import realtime
import retention
import sessions
import soak
import stacks
import stopped
import sweep
import throughput
import toggle

KINDS = {"ranking": ranking.draw, "percentiles": percentiles.draw, "histogram": histogram.draw,
         "over_time": over_time.draw, "sweep": sweep.draw, "throughput": throughput.draw,
         "delivery": delivery.draw, "losses": losses.draw, "overhead": overhead.draw,
         "causes": causes.draw, "crash": crash.draw, "stopped": stopped.draw,
         "capacity": capacity.draw, "payload": payload.draw, "fields": fields.draw,
         "stacks": stacks.draw, "toggle": toggle.draw, "disabled": disabled.draw,
         "realtime": realtime.draw, "queue": queue_answer.draw, "retention": retention.draw,
         "parity": parity.draw, "kernel_flags": kernel_flags.draw, "contention": contention.draw,
         "sessions": sessions.draw, "soak": soak.draw}

if __name__ == "__main__":
    command.main(KINDS)
