using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .smoke),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const smoke :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "out/worker.js")],
  compatibilityDate = "2026-11-01",
);
