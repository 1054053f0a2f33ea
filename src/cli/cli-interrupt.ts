const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Says something before Ctrl-C or SIGTERM ends the process as it would anyway.
 * @returns what takes that back.
 */
export function onInterrupt(say: () => void): () => void {
  const releases = SIGNALS.map((signal) => {
    const end = () => {
      say();
      process.kill(process.pid, signal);
    };
    process.once(signal, end);
    return () => process.off(signal, end);
  });
  return () => {
    for (const release of releases) release();
  };
}
