"""Python's loggers as a sink: logging, logging behind a queue, structlog."""

import logging
import logging.handlers
import queue

import tailgate_driver


class Logging:
    """logging with a FileHandler: time level event."""

    def __init__(self, path):
        self.handler = logging.FileHandler(path)
        self.handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log = logging.getLogger("app")
        log.setLevel(logging.INFO)
        log.propagate = False
        log.addHandler(self.outer())
        self.info = log.info

    def outer(self):
        return self.handler

    def close(self):
        self.handler.close()


class QueuedLogging(Logging):
    """The same behind a QueueHandler without a limit: a thread writes."""

    def outer(self):
        events = queue.SimpleQueue()
        self.listener = logging.handlers.QueueListener(events, self.handler)
        self.listener.start()
        return logging.handlers.QueueHandler(events)

    def close(self):
        self.listener.stop()  # writes what is queued
        super().close()


class Structlog:
    """structlog as its documentation configures it for speed: lines of JSON."""

    def __init__(self, path):
        import structlog
        self.file = open(path, "a", encoding="utf-8")
        structlog.configure(
            processors=[structlog.processors.add_log_level,
                        structlog.processors.TimeStamper(fmt="iso"),
                        structlog.processors.JSONRenderer()],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
            logger_factory=structlog.WriteLoggerFactory(self.file),
            cache_logger_on_first_use=True)
        self.info = structlog.get_logger().info

    def close(self):
        self.file.close()


class Sink(tailgate_driver.Logger):
    def __init__(self, context):
        kinds = {"logging": Logging, "logging_queue": QueuedLogging, "structlog": Structlog}
        null = context.options["destination"] == "null"
        self.log = kinds[context.options["logger"]]("/dev/null" if null else context.log_path)
        self.info = self.log.info

    def emit(self, thread, event):
        self.info(event)

    def close(self):
        self.log.close()


tailgate_driver.run(Sink)
