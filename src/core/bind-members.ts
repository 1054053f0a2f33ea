interface Member {
  readonly name: string;
  readonly method: ((...args: never[]) => unknown) | null;
  readonly getter: (() => unknown) | null;
}

// Read once per class: walking prototypes costs more than binding what they hold.
const membersOf = /* @__PURE__ */ new WeakMap<object, readonly Member[]>();

/**
 * Gives an instance its own methods, bound to it. They then work detached (`const { get } = client.accounts`) and behind
 * a Proxy, whose own `this` has no private fields. They are not enumerable, so a printout does not list them.
 */
export function bindMethods(instance: object): void {
  for (const { name, method } of read(Object.getPrototypeOf(instance))) {
    if (method) {
      Object.defineProperty(instance, name, { value: method.bind(instance), configurable: true, writable: true });
    }
  }
}

/** Does the same for getters. Own getters make an object slow to build, so only what has them behind a Proxy asks. */
export function bindGetters(instance: object): void {
  for (const { name, getter } of read(Object.getPrototypeOf(instance))) {
    if (getter) Object.defineProperty(instance, name, { get: getter.bind(instance), configurable: true });
  }
}

function read(start: object): readonly Member[] {
  const known = membersOf.get(start);
  if (known) return known;
  const members = new Map<string, Member>();
  for (let at: object | null = start; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (name === "constructor" || members.has(name)) continue;
      members.set(name, { name, method: typeof value === "function" ? value : null, getter: get ?? null });
    }
  }
  const found = [...members.values()];
  membersOf.set(start, found);
  return found;
}
