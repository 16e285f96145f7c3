// Builds the folders of the hosts that the pages refer to:
//     node hosts.mjs PACKAGES FOLDER
// FOLDER gets one folder for each host: files of packages as hosts.csv says, what
// lies in third-party/, and style sheets of fonts.googleapis.com as the pages ask
// for them.
import { cpSync, linkSync, mkdirSync, readFileSync, readdirSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [packages, folder] = process.argv.slice(2);
const here = import.meta.dirname;

const rows = (file) => {
  const [header, ...lines] = readFileSync(join(here, file), "utf8").trim().split("\n");
  const names = header.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((value, i) => [names[i], value])));
};
const unversioned = (name) => name.slice(0, name.lastIndexOf("@"));
// Packages of which several versions are needed keep theirs in the folder's name.
const unpacked = (name) => [name, unversioned(name)].map((n) => join(packages, n)).find(existsSync);

const link = (from, to) => {
  if (statSync(from).isDirectory()) {
    for (const name of readdirSync(from)) link(join(from, name), join(to, name));
    return;
  }
  mkdirSync(dirname(to), { recursive: true });
  linkSync(from, to);
};

/** As fonts.googleapis.com answers: the Latin faces of the families of `query`. */
const styles = (query) => {
  const wanted = new URLSearchParams(query.replaceAll("&amp;", "&"));
  const families = wanted.getAll("family").flatMap((value) => value.split("|"));
  const swap = wanted.get("display") === "swap" ? "  font-display: swap;\n" : "";
  return families.map((text) => {
    const [name, variants = "400"] = text.split(":");
    const id = name.toLowerCase().replaceAll(" ", "-");
    const files = join(folder, "fonts.gstatic.com/s", id);
    const words = { regular: "400", italic: "400i", semibold: "600", semibolditalic: "600i", bold: "700", bolditalic: "700i" };
    // "400,700i" or "ital,wght@0,400;1,700".
    const faces = variants.replace(/^[a-z,]*@/, "").split(variants.includes(";") || /@\d,/.test(variants) ? ";" : ",")
      .map((v) => words[v] ?? v)
      .map((v) => [v.match(/\d{3}/)?.[0] ?? "400", /i|^1,/.test(v) ? "italic" : "normal"]);
    return faces.map(([weight, style]) => {
      const file = readdirSync(existsSync(files) ? files : here).find((f) => f.endsWith(`-latin-${weight}-${style}.woff2`));
      return file === undefined ? "" : `@font-face {
  font-family: '${name}';
  font-style: ${style};
  font-weight: ${weight};
${swap}  src: url(https://fonts.gstatic.com/s/${id}/${file}) format('woff2');
  unicode-range: U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-206F, U+20AC, U+2122;
}
`;
    }).join("");
  }).join("");
};

rmSync(folder, { recursive: true, force: true });
for (const { host, path, package: name, from } of rows("hosts.csv")) {
  link(join(unpacked(name), from), join(folder, host, path));
}
for (const host of readdirSync(join(here, "third-party"), { withFileTypes: true })) {
  if (host.isDirectory()) cpSync(join(here, "third-party", host.name), join(folder, host.name), { recursive: true });
}
for (const { package: name, page } of rows("pages.csv")) {
  const at = unpacked(name);
  if (at === undefined) continue; // fetch.sh was asked for other packages only.
  const html = readFileSync(join(at, page), "utf8");
  for (const [, kind, query] of html.matchAll(/fonts\.googleapis\.com\/(css2?)\?([^"')]+)/g)) {
    const place = join(folder, "fonts.googleapis.com", `${kind}?${query.replaceAll("&amp;", "&").replaceAll(" ", "%20")}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "index.css"), styles(query));
  }
}
