/**
 * Runs a shell in a pseudo-terminal. Standard input has a line for each thing to do: `d` and the typed bytes in base64, or `r`, rows and
 * columns. Standard output is the terminal's own. Arguments: rows, columns.
 */
const PYTHON = `
import base64, fcntl, os, pty, select, signal, struct, sys, termios
rows, columns = int(sys.argv[1]), int(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    for shell in ("bash", "sh"):
        try:
            os.execvp(shell, [shell, "-i"])
        except OSError:
            pass
    os._exit(127)
def resize(rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
resize(rows, columns)
lines, typed, listening = b"", b"", True
while True:
    readers = [terminal] + ([0] if listening and len(typed) < 65536 else [])
    readable, writable, _ = select.select(readers, [terminal] if typed else [], [])
    if terminal in readable:
        try:
            output = os.read(terminal, 65536)
        except OSError:
            output = b""
        if not output:
            break
        while output:
            output = output[os.write(1, output):]
    if writable:
        typed = typed[os.write(terminal, typed[:1024]):]
    if 0 in readable:
        chunk = os.read(0, 65536)
        if not chunk:
            listening = False
            os.kill(pid, signal.SIGHUP)
        *whole, lines = (lines + chunk).split(b"\\n")
        for line in whole:
            kind, _, value = line.partition(b" ")
            if kind == b"d":
                typed += base64.b64decode(value)
            elif kind == b"r":
                resize(*(int(number) for number in value.split()))
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`;

/** The same with what nearly every system has. It keeps the size that it begins with. When the shell ends, so does who reads for it. */
const SCRIPT = `trap : HUP
while read -r kind value; do
  if [ "$kind" = d ]; then printf %s "$value" | base64 -d; fi
done | {
  script -qefc "stty rows $1 cols $2; exec bash -i" /dev/null
  code=$?
  trap '' HUP
  kill -HUP 0
  exit "$code"
}`;

const LAUNCH = `if python3 -I -S -c "import pty" >/dev/null 2>&1; then exec python3 -I -S -c "$3" "$1" "$2"; fi
if command -v script >/dev/null 2>&1; then
${SCRIPT}
exit
fi
echo "This sandbox has neither python3 nor script, so it cannot have a terminal."
exit 127`;

/** The command of a terminal of this size. */
export function terminalCommand({
  rows,
  columns,
}: {
  readonly rows: number;
  readonly columns: number;
}): readonly [string, ...string[]] {
  return ["sh", "-c", LAUNCH, "sh", String(rows), String(columns), PYTHON];
}
