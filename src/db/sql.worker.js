// A worker's whole program, embedded as text so that the executable needs no file beside it: it runs the statements that
// would block the main thread for seconds, on a connection of its own.
import { Database } from "bun:sqlite";

let client;

const perform = ({ open, sql, parameters = [] }) => {
  if (open !== undefined) {
    client = new Database(open, { readwrite: true });
    return [];
  }
  return sql === undefined ? client.close() : client.query(sql).all(...parameters);
};

self.addEventListener("message", ({ data: { id, ...job } }) => {
  /* eslint-disable unicorn/require-post-message-target-origin -- a worker's has no origin */
  try {
    self.postMessage({ id, rows: perform(job) });
  } catch ({ message, code }) {
    self.postMessage({ id, failed: { message, code } });
  }
});
