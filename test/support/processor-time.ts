/**
 * How many times the processor time of some work another work takes, both in this run, so that neither the machine nor what
 * else runs on it matters. Each is done several times in turn and counts with its shortest time.
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
 * Whether work of a size takes about as much for each piece as a hundredth of it does. Linear work takes a hundred times as
 * long, quadratic work ten thousand times: a thousand tells them apart whatever a garbage collector or a cold cache adds.
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
