#!/bin/sh
# lab.sh - heed lab over real sockets: who is served, what is refused, how it ends.
. "$(dirname "$0")/model.sh"
need_python

heed lab absent.gguf
case $(cat err) in *"without libmicrohttpd"*) echo "$script: skipped: no libmicrohttpd"; exit 0 ;; esac
refuses 1 'absent.gguf' lab m.gguf absent.gguf
refuses 2 'one MODEL' lab m.gguf folder --lora adapter.gguf
refuses 1 'absent.gguf' lab absent.gguf
refuses 2 '--port' lab m.gguf --port 70000

cat >client.py <<'PYTHON'
import json, os, re, signal, socket, struct, subprocess, sys, threading, time

heed, web = sys.argv[1:]
signal.signal(signal.SIGINT, signal.default_int_handler)

class Lab:
    def __init__(self, *options, models=("m.gguf",)):
        self.process = subprocess.Popen([heed, "lab", *models, "--no-open", "--port", "0", *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        url = self.process.stdout.readline()
        self.port = int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", url)[1])
    def end(self):
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        self.process.communicate()
        assert self.process.returncode == -signal.SIGINT, self.process.returncode
        assert time.monotonic() - began < 3, "Ctrl-C is slow"

def connect():
    s = socket.create_connection(("127.0.0.1", lab.port))
    s.settimeout(30)
    return s

def read_answer(s):
    """Status, headers, body of one answer with a Content-Length."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = s.recv(65536)
        if not part: return None
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    lines = head.decode().split("\r\n")
    headers = {k.lower(): v for k, v in (l.split(": ", 1) for l in lines[1:])}
    while len(body) < int(headers["content-length"]): body += s.recv(65536)
    return int(lines[0].split()[1]), headers, body

def ask(path="/", method="GET", body=None, s=None, **headers):
    headers = {"Host": f"127.0.0.1:{lab.port}", **{k.replace("_", "-"): v for k, v in headers.items()}}
    if body is not None: headers["Content-Length"] = str(len(body))
    text = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers.items() if v is not None)
    own = s or connect()
    own.sendall(text.encode() + b"\r\n" + (body or b""))
    answer = read_answer(own)
    if not s: own.close()
    return answer

def trace(request, **more):
    return ask("/api/trace", "POST", json.dumps(request).encode() if not isinstance(request, bytes) else request,
               **{"Content_Type": "application/json", **more})

def expect(status, answer, words=""):
    assert answer and answer[0] == status and words in answer[2].decode(errors="replace"), (status, words, answer)

def header_of(body):
    assert body[:8] == b"heedtrc1"
    n = struct.unpack("<Q", body[8:16])[0]
    return json.loads(body[16:16 + n]), body[16 + n:]

lab = Lab()
# ---- the page and its files
status, headers, body = ask()
assert status == 200 and headers["content-type"] == "text/html; charset=utf-8"
assert body == open(os.path.join(web, "index.html"), "rb").read()
assert "default-src 'none'" in headers["content-security-policy"]
assert "access-control-allow-origin" not in headers and headers["x-content-type-options"] == "nosniff"
for folder, _, names in os.walk(web):
    for name in names:
        path = os.path.join(folder, name)
        status, headers, body = ask("/" + os.path.relpath(path, web))
        assert status == 200 and body == open(path, "rb").read(), path
model = json.loads(ask("/api/model")[2])
assert model["architecture"] == "llama" and model["parameters"]["total"] > 0
for path in ("/absent.js", "/../Makefile", "/%2e%2e/Makefile", "//index.html", "/.git", "/js/", "/js/../index.html",
             "/" + "a" * 500, "/index.html%00.js", "/api"):
    expect(404, ask(path))
# ---- a trace
status, headers, body = trace({"text": "the cat", "logits": True, "taps": [{"site": "pattern"}]})
assert status == 200 and headers["content-type"] == "application/octet-stream"
header, arrays = header_of(body)
pattern = [a for a in header["arrays"] if a["name"] == "pattern"][0]
heads, n, _ = pattern["shape"]
row = struct.unpack_from(f"<{n}f", arrays, pattern["offset"] + 4 * n * (n - 1))
assert n == len(header["tokens"]) and abs(sum(row) - 1) < 1e-5
# ---- parameters and cost: the tensors are those that heed info counts, a forward is timed
info = json.loads(subprocess.run([heed, "info", "m.gguf", "--json"], capture_output=True, text=True, check=True).stdout)
header = header_of(trace({"text": "a", "weights": True, "measure": {"tokens": 12, "chunk": 5, "repeat": 1}})[2])[0]
places = dict.fromkeys(info["parameters"], 0)
for w in header["weights"]:
    size = 1
    for d in w["shape"]: size *= d
    places[w["place"]] += size
    places["total"] += size
assert places == info["parameters"] == header["model"]["parameters"], places
measured = header["measured"]
assert measured["tokens"] == 12 and measured["chunk"] == 5 and not measured["plain"]
assert measured["seconds"] > 0 and measured["attention_seconds"] > 0
expect(400, trace({"text": "a", "measure": {"tokens": 1 << 20}}), "tokens: must")
# ---- refusals
expect(403, ask(Host="evil.example"), "Host")
expect(403, ask(Host=None), "Host") if ask(Host=None)[0] != 400 else None
expect(403, ask(Host="127.0.0.1"), "Host")
expect(403, ask(Host=f"127.0.0.1.evil.example:{lab.port}"), "Host")
expect(200, ask(Host=f"LocalHost:{lab.port}"))
expect(403, trace({"text": "a"}, Origin="http://evil.example"), "origins")
expect(403, trace({"text": "a"}, Origin="null"), "origins")
expect(200, trace({"text": "a"}, Origin=f"http://localhost:{lab.port}"))
expect(415, trace({"text": "a"}, Content_Type="text/plain"), "application/json")
expect(405, ask("/", "DELETE"), "wrong method")
expect(405, ask("/api/trace"), "wrong method")
expect(400, trace(b"{"), "the request")
expect(400, trace(b"\xff\xfe"), "the request")
expect(400, trace(b'{"text": "\\ud800"}'), "the request")
expect(400, trace(b"[" * 100000), "the request")
expect(400, trace({"text": "a", "generate": {"tokens": -1}}), "tokens: must")
expect(400, trace({"text": "x " * 2000}), "tokens")
expect(413, trace(b" " * (1 << 21)), "1 MiB")
s = connect()
s.sendall(b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 100000 + b"\r\n\r\n")
assert s.recv(64).split()[1] in (b"431", b"400", b"413")
# ---- one connection, many requests, in odd pieces
s = connect()
for _ in range(3): expect(200, ask("/api/model", s=s))
for byte in f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{lab.port}\r\n\r\n".encode():
    s.sendall(bytes([byte]))
expect(200, read_answer(s))
# ---- clients that leave, many at once: equal questions have equal answers
want = trace({"text": "the cat", "generate": {"tokens": 8, "seed": 5}})[2]
for _ in range(40):
    s = connect()
    body = json.dumps({"text": "a b c", "lens": {}, "generate": {"tokens": 200}}).encode()
    s.sendall(f"POST /api/trace HTTP/1.1\r\nHost: 127.0.0.1:{lab.port}\r\nContent-Type: application/json\r\n"
              f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    s.close()
got = []
threads = [threading.Thread(target=lambda: got.append(trace({"text": "the cat", "generate": {"tokens": 8, "seed": 5}})[2]))
           for _ in range(16)]
for t in threads: t.start()
for t in threads: t.join()
assert got == [want] * 16, "answers differ"
# ---- a header that drips is cut off in time, and holds up nobody
slow = connect()
slow.sendall(b"GET / HT")
began = time.monotonic()
while time.monotonic() - began < 13:
    try:
        slow.sendall(b"T")
    except OSError:
        break
    time.sleep(0.5)
    expect(200, ask("/api/model"))
assert time.monotonic() - began < 12, "a dripping header is still open"
lab.end()

# ---- files from a folder, and the newest trace in a file
os.makedirs("page/js")
open("page/index.html", "w").write("mine")
open("page/js/a.js", "w").write("1")
lab = Lab("--web", "page", "--record", "newest.trace")
expect(200, ask(), "mine")
assert ask("/js/a.js")[1]["content-type"].startswith("text/javascript")
for path in ("/js", "/../m.gguf", "/absent"): expect(404, ask(path))
body = trace({"text": "kept"})[2]
assert open("newest.trace", "rb").read() == body
expect(200, trace({"text": "again"}))
assert header_of(open("newest.trace", "rb").read())[0]["text"] == "again"
# a page may choose among the models of the command line and the built-in ones, and open nothing else
models = json.loads(ask("/api/models")[2])["models"]
assert [m["name"] for m in models] == ["m.gguf", "world", "poems", "tales"], models
assert models[3]["model"]["architecture"] == "llama" and models[0]["model"] == json.loads(ask("/api/model")[2])
parts = {name: header_of(trace({"text": "Once upon a time", "model": name})[2])[0] for name in ("m.gguf", "tales")}
assert len(parts["tales"]["tokens"]) < len(parts["m.gguf"]["tokens"]) and parts["tales"]["request"]["model"] == "tales"
for name in ("folder", "./m.gguf", "", "../m.gguf", "x" * 1000, "poems\0"):
    expect(400, trace({"text": "a", "model": name}), "model: there is no")
expect(400, trace({"text": "a", "model": 1}), "model: must be a string")
taken = subprocess.run([heed, "lab", "m.gguf", "--no-open", "--port", str(lab.port)], capture_output=True, text=True)
assert taken.returncode == 1 and "is the port taken?" in taken.stderr, taken
lab.end()
lab = Lab(models=("folder", "m.gguf", "tales", "m.gguf"))
assert [m["name"] for m in json.loads(ask("/api/models")[2])["models"]] == ["folder", "m.gguf", "tales", "world", "poems"]
for name in ("folder", "poems", "tales", "m.gguf"): expect(200, trace({"text": "a", "model": name}))
lab.end()
lab = Lab(models=())
assert json.loads(ask("/api/models")[2])["models"][0]["name"] == "world"
expect(200, trace({"text": "a"}))
lab.end()
PYTHON
python3 client.py "$HEED" "$root/web" || fail "the lab over sockets"
