// As many as a client sends at once by default, less two for others.
const AT_ONCE = 8;

/** Works on several items at once, until one fails. @throws the first failure, once all work that was begun has ended. */
export async function sideBySide<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | null = null;
  const worker = async () => {
    for (let next = left.next(); !next.done && !failure; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failure) throw (failure as { readonly error: unknown }).error;
}
