#!/usr/bin/env python3
"""Draws every plot for which the given results have data. `tailgate plot` calls this script."""
import causes
import command
import delivery
import histogram
import losses
import over_time
import overhead
import percentiles
import ranking
import sweep
import throughput

KINDS = {"ranking": ranking.draw, "percentiles": percentiles.draw, "histogram": histogram.draw,
         "over_time": over_time.draw, "sweep": sweep.draw, "throughput": throughput.draw,
         "delivery": delivery.draw, "losses": losses.draw, "overhead": overhead.draw,
         "causes": causes.draw}

if __name__ == "__main__":
    command.main(KINDS)
