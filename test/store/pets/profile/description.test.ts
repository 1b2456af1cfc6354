import { expect, test } from "bun:test";
import { descriptionHtml } from "../../../../src/store/pets/profile/description.ts";
import { addPet, openStore } from "../../../support/store.ts";

test.each([
  [
    "A *calm* **dog**.\n\n- likes walks",
    "<p>A <em>calm</em> <strong>dog</strong>.</p>\n<ul>\n<li>likes walks</li>\n</ul>\n",
  ],
  [
    "<script>alert(1)</script> <b onclick=x>",
    "<p>&lt;script&gt;alert(1)&lt;/script&gt; &lt;b onclick=x&gt;</p>\n",
  ],
  ["<div onclick=x>\n", "<p>&lt;div onclick=x&gt;</p>\n"],
  [
    "[home](https://example.org/?a=1&b=2)",
    '<p><a href="https://example.org/?a=1&amp;b=2" rel="nofollow noopener ugc">home</a></p>\n',
  ],
  [
    "Write to adopt@example.org.",
    '<p>Write to <a href="mailto:adopt@example.org" rel="nofollow noopener ugc">adopt@example.org</a>.</p>\n',
  ],
  [
    "[a](javascript:alert(1)) [b](java&#115;cript:x) [c](data:text/html,x) [d](//x) [e](/v1/pets)",
    "<p>a b c d e</p>\n",
  ],
  [
    '![a dog <img src=x onerror="x">](http://example.org/a.png "t")',
    "<p>a dog &lt;img src=x onerror=&quot;x&quot;&gt;</p>\n",
  ],
  ["[![dog](x.png)](javascript:x)", "<p>dog</p>\n"],
  ["", ""],
  [
    "See <https://example.org/?a=1&b=2>, <HTTP://x.org/>",
    '<p>See <a href="https://example.org/?a=1&amp;b=2" rel="nofollow noopener ugc">https://example.org/?a=1&amp;b=2</a>, ' +
      '<a href="HTTP://x.org/" rel="nofollow noopener ugc">HTTP://x.org/</a></p>\n',
  ],
  [
    '<https://x" onclick=alert(1)> <javascript:alert(1)> <https:x> <https://x <https://y',
    "<p>&lt;https://x&quot; onclick=alert(1)&gt; &lt;javascript:alert(1)&gt; &lt;https:x&gt; &lt;https://x &lt;https://y</p>\n",
  ],
  [
    `<https://x"onclick='alert(1)'>`,
    `<p><a href="https://x&quot;onclick='alert(1)'" rel="nofollow noopener ugc">https://x&quot;onclick='alert(1)'</a></p>\n`,
  ],
  [
    "`<https://x.org>`\n\n[<https://x.org>](https://y.org '<https://z.org> > \"')\n\n```<https://x.org>\n<https://x.org>\n```\n",
    "<p><code>&lt;https://x.org&gt;</code></p>\n" +
      '<p><a href="https://y.org" title="&lt;https://z.org&gt; &gt; &quot;" rel="nofollow noopener ugc">&lt;https://x.org&gt;</a></p>\n' +
      '<pre><code class="language-&lt;https://x.org&gt;">&lt;https://x.org&gt;\n</code></pre>\n',
  ],
])("the description %j is rendered without HTML and foreign content", (markdown, html) => {
  expect(descriptionHtml(markdown)).toBe(html);
});

test("the description of an animal is fetched as HTML that loads and runs nothing", async () => {
  const store = await openStore();
  await addPet(store, { name: "Bella" });
  const get = () => store.call("GET", "/v1/pets/1/profile/description");
  expect(await (await get()).text()).toBe("");
  await store.call("PATCH", "/v1/pets/1/profile", { json: { description: "A *calm* dog." } });
  const response = await get();
  expect(await response.text()).toBe("<p>A <em>calm</em> dog.</p>\n");
  expect([response.headers.get("content-type"), response.headers.get("content-security-policy")]).toEqual([
    "text/html; charset=utf-8",
    "default-src 'none'; sandbox",
  ]);
});
