import { expect, test } from "bun:test";
import { accessAdvice } from "../../../src/data/data-dir/checks.ts";

test.each([
  ["EACCES", "chmod 700 '/srv/my store'"],
  ["EPERM", "sudo chattr -i '/srv/my store'"],
  ["EROFS", "Mount it for writing, or name another directory with --data-dir"],
  ["EIO", "Look for disk errors"],
  [undefined, "Look for disk errors"],
])("the advice about a directory that cannot be written fits the code %s", (code, advice) => {
  expect(accessAdvice("/srv/my store", code)).toContain(advice);
});

test("only a lack of permission is advised to be corrected with chmod", () => {
  for (const code of ["EPERM", "EROFS", "EIO", undefined])
    expect(accessAdvice("/srv/store", code)).not.toContain("chmod");
});
