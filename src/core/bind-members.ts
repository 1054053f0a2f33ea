// Names are cached per class, because walking prototypes costs more than binding their members. Functions are not
// cached: tests and monitoring agents may patch a prototype at any time.
const known = /* @__PURE__ */ new WeakMap<object, Record<"method" | "getter", string[]>>();

/**
 * Defines a class's methods on the instance, bound to it. They then work detached (`const { get } = client.accounts`)
 * and behind a Proxy, whose `this` has no private fields. They are not enumerable, so logs of the instance omit them.
 */
export function bindMethods(instance: object): void {
  const prototype = Object.getPrototypeOf(instance);
  for (const name of namesOf(prototype).method) {
    const method: unknown = prototype[name];
    if (typeof method !== "function") continue;
    Object.defineProperty(instance, name, { value: method.bind(instance), configurable: true, writable: true });
  }
}

/** Makes a class's getters work behind a Proxy. Used only where needed, because it slows down construction. */
export function bindGetters(instance: object): void {
  const prototype = Object.getPrototypeOf(instance);
  for (const name of namesOf(prototype).getter) {
    Object.defineProperty(instance, name, { get: () => Reflect.get(prototype, name, instance), configurable: true });
  }
}

function namesOf(prototype: object): Record<"method" | "getter", string[]> {
  let names = known.get(prototype);
  if (names) return names;
  names = { method: [], getter: [] };
  known.set(prototype, names);
  const seen = new Set(["constructor"]);
  for (let at = prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      // An override wins over the member of the base class.
      if (seen.has(name)) continue;
      seen.add(name);
      if (typeof value === "function") names.method.push(name);
      else if (get) names.getter.push(name);
    }
  }
  return names;
}
