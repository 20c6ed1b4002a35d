// Node.js' console with a file's stream, as a sink.

import { Console } from 'node:console';
import fs from 'node:fs';
import { run } from '../drivers/node/tailgate_driver.mjs';

const sleeper = new Int32Array(new SharedArrayBuffer(4));

run((context) => {
  const sleepMs = Number(context.options.sleep_us) / 1000;
  const stream = fs.createWriteStream(context.logPath);
  const log = new Console(stream);
  return {
    emit(thread, event) {
      if (sleepMs > 0) Atomics.wait(sleeper, 0, 0, sleepMs);
      log.log('%s INFO %s', new Date().toISOString(), event);
    },
    close: () => new Promise((resolve, reject) => {
      stream.on('error', reject);
      stream.end(resolve);
    }),
  };
});
