/** Sets an entry as a map's newest, then deletes the oldest entries until at most `size` remain. */
export function rememberAtMost<Key, Value>(map: Map<Key, Value>, size: number, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= size) return;
    map.delete(oldest);
  }
}
