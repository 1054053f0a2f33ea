/** Sets an entry as the newest one of a map, and deletes the oldest entries beyond `size`. */
export function rememberAtMost<Key, Value>(map: Map<Key, Value>, size: number, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= size) return;
    map.delete(oldest);
  }
}
