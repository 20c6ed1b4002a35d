"""Python's logging with a FileHandler, as a sink."""

import logging
import time

import tailgate_driver


class PythonLog(tailgate_driver.Logger):
    def __init__(self, context):
        self.sleep_s = float(context.options["sleep_us"]) / 1e6
        handler = logging.FileHandler(context.log_path)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        self.log = logging.getLogger("python_log")
        self.log.setLevel(logging.INFO)
        self.log.propagate = False
        self.log.addHandler(handler)

    def emit(self, thread, event):
        if self.sleep_s > 0:
            time.sleep(self.sleep_s)
        self.log.info(event)

    def close(self):
        logging.shutdown()


tailgate_driver.run(PythonLog)
