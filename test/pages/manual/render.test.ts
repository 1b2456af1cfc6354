import { expect, test } from "bun:test";
import { withAddresses } from "../../../src/pages/manual/links.ts";
import { render } from "../../../src/pages/manual/render.ts";

const PAGE = "contributing/architecture";
const htmlOf = (markdown: string) => render(markdown, PAGE).html;

test("a link to another page becomes its address", () => {
  expect(htmlOf("[a](debugging.md#dns)")).toContain('href="/manual/contributing/debugging#dns"');
  expect(htmlOf("[a](../index.md)")).toContain('href="/manual"');
});

test("a link to a file outside the manual is replaced by its text", () => {
  for (const link of ["../../../README.md#speed", "../pages.ts", "../../../../etc/passwd", "missing.md"]) {
    expect(htmlOf(`[a](${link})`)).toBe("<p>a</p>\n");
    expect(withAddresses(`[a](${link})`, PAGE)).toBe("a");
  }
});

test("a link with a full address stays", () => {
  for (const link of ["https://example.org/a.md", "/docs", "mailto:a@example.org"])
    expect(htmlOf(`[a](${link})`)).toContain(`href="${link}"`);
});

test("a heading has a link to itself, and is listed", () => {
  const { html, headings } = render('## The `keys` & "others"\n\n### Same\n\n### Same\n', PAGE);
  expect(headings.map(({ level, id }) => [level, id])).toEqual([
    [2, "the-keys--others"],
    [3, "same"],
    [3, "same-1"],
  ]);
  expect(html).toContain(
    'href="#the-keys--others" aria-label="Link to: The keys &amp; &quot;others&quot;">#</a>',
  );
});

test("raw HTML is shown as text", () => {
  expect(htmlOf("<script>alert(1)</script>\n\nA <b>word</b>, `<slug>`.\n")).toBe(
    "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n<p>A &lt;b&gt;word&lt;/b&gt;, <code>&lt;slug&gt;</code>.</p>\n",
  );
});

const codeOf = (markdown: string): string => /<code[\s\S]*<\/code>/.exec(htmlOf(markdown))?.[0] ?? "";

test("a block of code keeps its text, regardless of its content", () => {
  const code = "a <b> & \"c\" 'd' &amp; `e`";
  const shown = codeOf(`\`\`\`text\n${code}\n\`\`\``);
  expect(shown).toBe(`<code data-language="text">${Bun.escapeHTML(code)}</code>`);
});

test("a block of code is coloured by its language, and names its file", () => {
  const shown = codeOf('```js file=walk.mjs in=debian\nconst a = "b";\n```');
  expect(shown).toStartWith('<code data-language="js" data-file="walk.mjs">');
  expect(shown).toContain('<span class="hljs-keyword">const</span>');
});

test.each([
  ['after="const a ="', "after: const a ="],
  ['before="a < 1"', "before: a &lt; 1"],
  ['instead="b();"', "instead of: b();"],
])("an excerpt shows the line that it goes next to: %s", (attribute, shown) => {
  expect(codeOf(`\`\`\`ts file=src/a.ts ${attribute}\nconst a = 1;\n\`\`\``)).toContain(
    `data-file="src/a.ts, ${shown}"`,
  );
});

test("a block of a terminal distinguishes commands from their output", () => {
  const shown = codeOf("```console\n$ ls \\\n  -l\ntotal <0>\n\n# reboot\n```");
  expect(shown).toBe(
    [
      '<code data-language="console"><span class="prompt">$ </span><span class="command"><span class="hljs-built_in">ls</span> \\</span>',
      '<span class="command">  -l</span>',
      '<span class="output">total &lt;0&gt;</span>',
      "",
      '<span class="prompt"># </span><span class="command">reboot</span></code>',
    ].join("\n"),
  );
});

test("an empty corner of a table is no header", () => {
  expect(htmlOf("|  | fast |\n| --- | ---: |\n| a | 1 |")).toContain(
    '<tr><td></td><th align="right">fast</th></tr>',
  );
});
