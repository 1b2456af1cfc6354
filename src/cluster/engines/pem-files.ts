/** Contents of the PEM files of DATABASE_URL. */
export interface PemFiles {
  ca?: string;
  cert?: string;
  key?: string;
}
