/**
 * Gives an instance its own methods and getters, bound to it. They then work detached (`const { get } = client.accounts`)
 * and behind a Proxy, whose own `this` has no private fields. They are not enumerable, so a printout does not list them.
 */
export function bindMembers(instance: object): void {
  const seen = new Set<string>(["constructor"]);
  for (
    let prototype: object = Object.getPrototypeOf(instance);
    prototype !== Object.prototype && prototype !== null;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const { value, get } = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
      if (get) Object.defineProperty(instance, name, { get: get.bind(instance), configurable: true });
      else if (typeof value === "function") {
        Object.defineProperty(instance, name, { value: value.bind(instance), configurable: true, writable: true });
      }
    }
  }
}
