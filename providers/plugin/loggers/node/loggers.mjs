// Node.js' loggers as a sink: pino and winston, lines of JSON.

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { run } from './tailgate_driver.mjs';

// The packages are where npm installed them, which need not be above this file.
const packages = createRequire(process.argv[2] + '/');

const LOGGERS = {
  pino: (path) => openPino(path, { sync: true }),
  pino_async: (path) => openPino(path, { sync: false, minLength: 4096 }),
  winston: openWinston,
};

function openPino(path, how) {
  const pino = packages('pino');
  const file = pino.destination({ dest: path, ...how });
  const log = pino(file);
  return {
    emit: (thread, event) => log.info(event),
    close: () => new Promise((resolve, reject) => {
      file.on('error', reject);
      file.on('close', resolve);
      file.end();
    }),
  };
}

async function openWinston(path) {
  const winston = packages('winston');
  const file = new winston.transports.File({ filename: path });
  await once(file, 'open');
  const { combine, json, timestamp } = winston.format;
  const log = winston.createLogger({
    format: combine(timestamp(), json()),
    transports: [file],
  });
  return {
    emit: (thread, event) => { log.info(event); },
    // The library's end() drops what has not reached its inner stream yet, with 'write after end', so
    // wait for that: no public call does.
    async close() {
      while (log.writableLength + log.readableLength + file.writableLength > 0 ||
             file._stream.listenerCount('drain') > 0) {
        await setImmediate();
      }
      const written = once(file._dest, 'finish');
      file.close();
      await written;
    },
  };
}

run(({ logPath, options }) =>
  LOGGERS[options.logger](options.destination === 'null' ? '/dev/null' : logPath));
