// A worker's whole program, embedded as text so that the executable needs no separate file: it runs the statements that
// would block the main thread for seconds, on a separate connection.
import { Database } from "bun:sqlite";

let client;

const perform = ({ open, query, run, parameters = [] }) => {
  if (open !== undefined) client = new Database(open, { readwrite: true, strict: true });
  else if (query !== undefined) return client.query(query).all(...parameters);
  else if (run !== undefined) client.run(run, parameters);
  else client.close();
  return [];
};

self.addEventListener("message", ({ data: { id, ...job } }) => {
  /* eslint-disable unicorn/require-post-message-target-origin -- a worker's has no origin */
  try {
    self.postMessage({ id, rows: perform(job) });
  } catch ({ message, code }) {
    self.postMessage({ id, failed: { message, code } });
  }
});
