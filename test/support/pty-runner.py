# Runs a command in a new terminal and writes its events as JSON lines. Part of test/support/pty.ts.
import base64, fcntl, json, os, pty, select, signal, struct, sys, termios, time

task = json.load(sys.stdin)


def tell(**event):
    print(json.dumps(event), flush=True)


def resize(columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    tell(resize=[columns, rows])


child, terminal = pty.fork()
if child == 0:
    # Sets the size before the program reads it.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", task["rows"], task["columns"], 0, 0))
    os.chdir(task["cwd"])
    os.execvpe(task["command"][0], task["command"], task["env"])

steps = list(task["steps"])
seen = ""
end = time.monotonic() + 60
while time.monotonic() < end:
    while steps:
        step = steps[0]
        if "wait" in step:
            if step["wait"] not in seen:
                break
            seen = ""
        elif "send" in step:
            os.write(terminal, step["send"].encode())
        elif "resize" in step:
            resize(*step["resize"])
        steps.pop(0)
    try:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        data = os.read(terminal, 65536) if ready else None
    except OSError:
        break
    if data == b"":
        break
    if data:
        seen += data.decode("utf-8", "replace")
        tell(out=base64.b64encode(data).decode())
else:
    os.kill(child, signal.SIGKILL)
_, status = os.waitpid(child, 0)
tell(status=os.waitstatus_to_exitcode(status), missed=steps)
