import { readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { animals, placing } from "./placed.ts";
import { inProcessIn } from "./program.ts";

// Each test starts processes, and the machine may be busy.
setDefaultTimeout(60_000);

const run = inProcessIn;
const place = placing(run);

describe("rows that break a rule", () => {
  const TEXT = `name,note,categoryId\nBella,n,3\n,n,4\nRex,"two\nlines",9223372036854775808\nMax,n\n"a "b",n,1\nZoe,n,2\n"open,n,5\n`;

  test("go to FILE.rejected with their line and reason, for the owner alone; the good ones are in", async () => {
    const { cwd, path, importing, read } = place(TEXT);
    const { code, out } = await importing();
    expect(code).toBe(1);
    expect(out).toStartWith("7 rows read: 2 added, 5 rejected, see a.csv.rejected (");
    expect(animals(cwd)).toEqual(["Bella|3|", "Zoe|2|"]);
    expect(statSync(`${path}.rejected`).mode & 0o777).toBe(0o600);
    const text = read("a.csv.rejected");
    expect(text).toStartWith("name,note,categoryId,line,reason\n,n,4,3,");
    expect(text).toContain('Rex,"two\nlines",9223372036854775808,4,categoryId: must be an integer');
    expect(text).toContain('Max,n,,6,"has 2 cells; the header has 3"\n');
    expect(text).toContain('"""a ""b"",n,1",,,7,a quote ends before');
    expect(text).toContain('"""open,n,5",,,9,a quote is opened and never closed\n');
  });

  test("are imported once they are corrected", async () => {
    const { cwd, importing, path } = place("name,categoryId\nBella,three\n");
    await importing();
    writeFileSync(`${path}.rejected`, readFileSync(`${path}.rejected`, "utf8").replace("three", "3"));
    const { code, error } = await run(cwd, ["import", "a.csv.rejected"]);
    expect([code, error]).toEqual([0, ""]);
    expect(animals(cwd)).toEqual(["Bella|3|"]);
  });

  test("of NDJSON stay objects, or are kept as text", async () => {
    const { importing, read } = place(
      '{"name":"Rex","categoryId":"3"}\n{broken\n[1]\n{"name":"a","Name":"b","categoryId":1}\n',
      "a.ndjson",
    );
    await importing();
    const rows = read("a.ndjson.rejected")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(rows).toEqual([
      {
        name: "Rex",
        categoryId: "3",
        line: 1,
        reason: expect.stringContaining("categoryId: must be an integer"),
      },
      { text: "{broken", line: 2, reason: expect.stringContaining("not valid JSON") },
      { text: "[1]", line: 3, reason: "is not a JSON object" },
      {
        name: "a",
        Name: "b",
        categoryId: 1,
        line: 4,
        reason: expect.stringMatching(/"name" and "Name".*--map "Name=name"/),
      },
    ]);
  });

  test("are also rows that are not UTF-8, but not a U+FFFD in the file itself", async () => {
    const latin1 = Buffer.concat([
      Buffer.from("name,categoryId\nZo"),
      Buffer.from([0xeb]),
      Buffer.from(",1\nRexé,2\n"),
    ]);
    const wrong = place(latin1);
    expect((await wrong.importing()).error).toContain("is not UTF-8");
    expect(animals(wrong.cwd)).toEqual(["Rexé|2|"]);
    const right = place("name,categoryId\nZo\uFFFD,1\n");
    expect((await right.importing()).code).toBe(0);
  });

  test("stay rejected while bytes that were not text are not corrected", async () => {
    const latin1 = Buffer.concat([
      Buffer.from("name,categoryId\nM\xfcller,1\n", "latin1"),
      Buffer.from("Max é,x\n"),
    ]);
    const { cwd, importing, path, read } = place(latin1);
    await importing();
    const again = await run(cwd, ["import", "a.csv.rejected"]);
    expect([again.code, again.error]).toEqual([1, expect.stringContaining("line 2: name: U+FFFD stands")]);
    const mended = read("a.csv.rejected.rejected").replace("\uFFFD", "ü");
    writeFileSync(`${path}.2.csv`, mended);
    await run(cwd, ["import", "a.csv.2.csv"]);
    expect(animals(cwd)).toEqual(["Müller|1|"]);
  });

  test("stay rejected in NDJSON, too", async () => {
    const { cwd, importing } = place(
      Buffer.concat([
        Buffer.from('{"name":"M\xfcller","categoryId":1}\n', "latin1"),
        Buffer.from('{"name":"é"}\n'),
      ]),
      "a.ndjson",
    );
    await importing();
    const { error } = await run(cwd, ["import", "a.ndjson.rejected"]);
    expect(error).toContain("line 1: name: U+FFFD stands");
    expect(animals(cwd)).toEqual([]);
  });

  test.each([
    ["half a pair", Buffer.from("\uFEFFname,categoryId\nRex,2\nA\uD800,1\n", "utf16le")],
    ["half a character", Buffer.from("\uFEFFcategoryId,name\n2,Rex\n1,A\n", "utf16le").subarray(0, -3)],
    ["half a character of UTF-8", Buffer.from("categoryId,name\n2,Rex\n1,Aé").subarray(0, -1)],
  ])("are also those with %s", async (_, text) => {
    const { cwd, importing } = place(text);
    const { code, out } = await importing();
    expect([code, out]).toEqual([1, expect.stringContaining("1 added, 1 rejected")]);
    expect(animals(cwd)).toEqual(["Rex|2|"]);
  });

  test("do not overwrite those of an earlier import", async () => {
    const { cwd, importing, path } = place("name,categoryId\nBella,three\n");
    writeFileSync(`${path}.rejected`, "mine");
    const { code, error } = await importing();
    expect([code, error]).toEqual([1, expect.stringContaining("a.csv.rejected exists")]);
    expect([readFileSync(`${path}.rejected`, "utf8"), animals(cwd)]).toEqual(["mine", []]);
  });
});
