/**
 * The ratio of the processor time of `work` to that of `compared`. Both run alternately, several times, and only the
 * shortest time of each counts, so that the machine and its load do not matter.
 */
export async function timesTheCost(work: () => unknown, compared: () => unknown, rounds = 5): Promise<number> {
  let [most, least] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    most = Math.min(most, await cost(work));
    least = Math.min(least, await cost(compared));
  }
  return most / least;
}

/**
 * True unless the cost grows much faster than the size. At a hundred times the size, linear work takes a hundred times
 * as long, quadratic work ten thousand times; the limit of a thousand allows for a garbage collection or a cold cache.
 */
export async function growsWithItsSize(work: (size: number) => () => unknown, size: number): Promise<boolean> {
  return (await timesTheCost(work(size), work(size / 100), 3)) < 1000;
}

async function cost(work: () => unknown): Promise<number> {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return Math.max(1, user + system);
}
