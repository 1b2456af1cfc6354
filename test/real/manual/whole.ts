/** True if bash would not wait for more: by its own grammar. A heredoc without its end is only a warning. */
export const isWhole = (command: string): boolean => {
  const { success, stderr } = Bun.spawnSync(["bash", "-n"], { stdin: Buffer.from(command), stderr: "pipe" });
  return success && stderr.length === 0;
};
