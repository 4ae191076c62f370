// (v) Which parts of this repository SearchCode finds for questions whose answers were judged beforehand, beside plain BM25 over whole words.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CodeIndex } from "../dist/tools/search/code-index.js";
import { LIMITS } from "../dist/protocol/index.js";
import { median } from "./children.mjs";
import { sized } from "./size.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const QUESTIONS = JSON.parse(readFileSync(new URL("retrieval/questions.json", import.meta.url), "utf8"));
const SHOWN = 10;
const PARTS_OF_ONE_FILE = 2;

export async function retrievalBench() {
  const texts = repositoryTexts();
  const began = performance.now();
  const index = new CodeIndex();
  for (const [path, text] of texts) index.put(path, "", text);
  const index_ms = Math.round(performance.now() - began);
  const plain = plainIndex(texts);
  const ways = { plain, ours: (query) => index.search(query, SHOWN) };
  const report = { files: texts.length, index_ms, goal: "better than plain BM25" };
  for (const [name, questions] of Object.entries(QUESTIONS)) {
    const asked = questions.slice(0, sized(questions.length, 2));
    report[name] = { questions: asked.length };
    for (const [way, find] of Object.entries(ways)) report[name][way] = await measured(asked, find);
  }
  return report;
}

/** Text files of the repository but the questions themselves. */
function repositoryTexts() {
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, maxBuffer: 2 ** 26 })
    .toString()
    .split("\0");
  const wanted = listed.filter((path) => /\.(?:ts|tsx|mjs|md|json|yaml|css|html)$/.test(path));
  return wanted
    .filter((path) => !path.startsWith("bench/retrieval/"))
    .slice(0, sized(wanted.length, 50))
    .map((path) => [path, readFileSync(`${ROOT}/${path}`, "utf8")])
    .filter(([, text]) => text.length <= LIMITS.searchCodeFileBytes);
}

async function measured(questions, find) {
  const took = [];
  const places = [];
  for (const { question, files } of questions) {
    const began = performance.now();
    const found = await find(question);
    took.push(performance.now() - began);
    places.push(found.findIndex(({ path }) => files.includes(path)));
  }
  const within = (most) => places.filter((place) => place !== -1 && place < most).length;
  const reciprocal = places.reduce((sum, place) => sum + (place === -1 ? 0 : 1 / (place + 1)), 0) / places.length;
  return {
    in_first_5: within(5),
    in_first_10: within(SHOWN),
    reciprocal_rank: Number(reciprocal.toFixed(3)),
    search_ms: Number(median(took).toFixed(1)),
  };
}

/** The control: whole words in lower case, nothing split or cut, the usual constants. */
function plainIndex(texts) {
  const parts = [];
  const holding = new Map();
  for (const [path, text] of texts) {
    const lines = text.split("\n");
    for (let start = 0; start < lines.length; start += LIMITS.searchCodeLines) {
      const words = wordsOf(`${path} ${lines.slice(start, start + LIMITS.searchCodeLines).join("\n")}`);
      const counts = new Map();
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      for (const word of counts.keys()) holding.set(word, (holding.get(word) ?? 0) + 1);
      parts.push({ path, counts, length: words.length });
    }
  }
  const average = parts.reduce((sum, { length }) => sum + length, 0) / parts.length;
  return (query) => {
    const words = [...new Set(wordsOf(query))];
    const scored = parts.map(({ path, counts, length }) => ({
      path,
      score: words.reduce((sum, word) => {
        const count = counts.get(word) ?? 0;
        const known = holding.get(word) ?? 0;
        const weight = Math.log(1 + (parts.length - known + 0.5) / (known + 0.5));
        return sum + (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average));
      }, 0),
    }));
    const taken = new Map();
    return scored
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .filter(({ path }) => {
        taken.set(path, (taken.get(path) ?? 0) + 1);
        return taken.get(path) <= PARTS_OF_ONE_FILE;
      })
      .slice(0, SHOWN);
  };
}

function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  console.log(JSON.stringify(await retrievalBench(), null, 2));
