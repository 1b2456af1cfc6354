// A worker's whole program, embedded as text so that the executable needs no file beside it. It compresses a file and
// writes what is worth it into `file`: br, then gzip. Answers with the sizes, 0 for what is not there, and the hash of both.
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

const compress = ({ bytes, brotli, level, most, file }) => {
  const all = [
    brotliCompressSync(bytes, { params: brotli }),
    Bun.gzipSync(bytes, { level, library: "libdeflate" }),
  ];
  const [br, gzip] = all.map((one) => (one.length <= most ? one : new Uint8Array()));
  const pair = Buffer.concat([br, gzip]);
  if (pair.length > 0) write(file, pair);
  return { br: br.length, gzip: gzip.length, hash: Bun.SHA256.hash(pair, "hex") };
};

self.addEventListener("message", ({ data: { id, ...job } }) => {
  /* eslint-disable unicorn/require-post-message-target-origin -- a worker's has no origin */
  try {
    self.postMessage({ id, made: compress(job) });
  } catch ({ message, code, syscall }) {
    self.postMessage({ id, failed: { message, code, syscall } });
  }
});
