// The program of a worker, embedded as text so that the executable needs no separate file. It compresses a file, writes the
// codings that are small enough into `file`, br before gzip, and sends back their sizes (0 if not written) and the hash of both.
import { closeSync, openSync, writeSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

const write = (file, bytes) => {
  const handle = openSync(file, "wx", 0o600);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
  } finally {
    closeSync(handle);
  }
};

const compress = ({ bytes, brotli, level, maxBytes, file }) => {
  const codings = [
    brotliCompressSync(bytes, { params: brotli }),
    Bun.gzipSync(bytes, { level, library: "libdeflate" }),
  ];
  const [br, gzip] = codings.map((one) => (one.length <= maxBytes ? one : new Uint8Array()));
  const pair = Buffer.concat([br, gzip]);
  if (pair.length > 0) write(file, pair);
  return { br: br.length, gzip: gzip.length, hash: Bun.SHA256.hash(pair, "hex") };
};

self.addEventListener("message", ({ data: { id, ...job } }) => {
  /* eslint-disable unicorn/require-post-message-target-origin -- a worker has no origin */
  try {
    self.postMessage({ id, result: compress(job) });
  } catch ({ message, code, syscall }) {
    self.postMessage({ id, error: { message, code, syscall } });
  }
});
