import { expect, test } from "bun:test";
import { assertKnownVariables, findTypos, typoWarning } from "../../src/config/typos.ts";
import { SETTINGS } from "../../src/config/settings.ts";

const suggestionFor = (variable: string, value = "x") => findTypos({ [variable]: value })[0]?.suggestion;

test.each<[string, string]>([
  ["BASE_ULR", "BASE_URL"],
  ["BASE_URI", "BASE_URL"],
  ["BASEURL", "BASE_URL"],
  ["base_url", "BASE_URL"],
  ["BACKUP_SHEDULE", "BACKUP_SCHEDULE"],
  ["BACKUPS_DIR", "BACKUP_DIR"],
  ["DATADIR", "DATA_DIR"],
  ["DATA_DIRR", "DATA_DIR"],
  ["LOG_LEVLE", "LOG_LEVEL"],
  ["HTTPS_PROT", "HTTPS_PORT"],
  ["PLATFORM_DOMIAN", "PLATFORM_DOMAIN"],
  ["ACME_MAIL", "ACME_EMAIL"],
  ["TRUST_PROXYS", "TRUST_PROXY"],
  ["ADOPTION_STORE_PROT", "ADOPTION_STORE_PORT"],
  ["ADOPTION_STORE_BASEURL", "ADOPTION_STORE_BASE_URL"],
  ["ADOPTION_STORE_CONFG", "ADOPTION_STORE_CONFIG"],
  ["ADOPTION_STORE_KYE", "ADOPTION_STORE_KEY"],
  ["BACKUP_RETENTION", "BACKUP_SCHEDULE, BACKUP_DIR, BACKUP_KEEP"],
  ["ACME_TOS", expect.stringContaining("ACME_AGREE_TOS")],
])("%s is reported as a misspelling of %s", (variable, suggestion) => {
  expect(suggestionFor(variable)).toEqual(suggestion);
});

test("the settings themselves are not reported", () => {
  const names = Object.values(SETTINGS).flatMap(({ env }) => [env, `ADOPTION_STORE_${env}`]);
  const client = ["ADOPTION_STORE_URL", "ADOPTION_STORE_KEY", "ADOPTION_STORE_CONFIG"];
  expect(findTypos(Object.fromEntries([...names, ...client].map((name) => [name, "x"])))).toEqual([]);
});

/** Variables of shells, systemd, containers, Kubernetes, CI systems and other programs. */
const FOREIGN = `
  HOSTNAME HOSTTYPE HOSTS PATH PWD OLDPWD HOME SHELL SHLVL TERM USER LOGNAME MAIL LANG LC_ALL TZ EDITOR PAGER DISPLAY _ PORTS
  XDG_DATA_DIRS XDG_DATA_HOME XDG_CONFIG_DIRS XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SSH_CLIENT SSH_TTY COLORTERM NO_COLOR
  HTTP_PROXY HTTPS_PROXY http_proxy https_proxy no_proxy NO_PROXY ALL_PROXY FTP_PROXY HTTP_HOST HTTPS HTTP_COOKIE
  PORT_WEB PORT_80 PORT_RANGE WEB_PORT APP_PORT REDIS_PORT POSTGRES_HOST DB_HOST DB_PORT DB_URL DATABASE_URL REDIS_URL API_URL API_KEY
  LOG_FILE LOG_DIR LOG_PATH LOG_COLOR LOG_LOCATION LOGS_DIRECTORY RUST_LOG DEBUG VERBOSE DATA DATA_HOME DATA_PATH CONSOLE_LOG
  NOTIFY_SOCKET INVOCATION_ID JOURNAL_STREAM LISTEN_FDS LISTEN_PID STATE_DIRECTORY CREDENTIALS_DIRECTORY MAINPID SYSTEMD_EXEC_PID
  container KUBERNETES_SERVICE_HOST KUBERNETES_PORT KUBERNETES_PORT_443_TCP_ADDR BACKUP_SERVICE_HOST BACKUP_SERVICE_PORT_WEB
  BACKUP_PORT_80_TCP_PROTO CI GITHUB_BASE_REF GITLAB_CI CI_COMMIT_SHA DEPLOY_URL DEPLOY_ID DEPLOY_PRIME_URL
  PLATFORM_BRANCH PLATFORM_PROJECT PLATFORM_APPLICATION BASE_IMAGE BASE_DIR BASE_PATH BASH_ENV NODE_ENV BUN_INSTALL NODE_OPTIONS
  CONDA_PREFIX DISK_USAGE DNS_SERVER DNS_SUFFIX BODY_SIZE_LIMIT STAGING PUBLIC_URL CORS_ORIGIN_ALLOW_ALL MEMORY_LIMIT
`;

test("variables of other programs are not reported", () => {
  const env = Object.fromEntries(
    FOREIGN.trim()
      .split(/\s+/)
      .map((name) => [name, "x"]),
  );
  expect(findTypos(env)).toEqual([]);
  expect(findTypos({ HTTPD_PORT: "tcp://10.0.0.1:80", BACKUP_PORT: "tcp://10.0.0.1:80" })).toEqual([]);
});

test("a variable with the prefix that resembles no setting is reported without a suggestion", () => {
  expect(findTypos({ ADOPTION_STORE_WIDTH: "1" }).map(typoWarning)).toEqual([
    "ADOPTION_STORE_WIDTH is not a setting and is ignored: adoption-store config show lists the settings",
  ]);
});

test("no value is reported", () => {
  expect(JSON.stringify(findTypos({ ACME_EAB_HMAK: "secret" }))).not.toContain("secret");
});

test("an unknown name in an environment file is an error with its line and the name that was meant", () => {
  const known = ["PORT", "ADOPTION_STORE_HOST", "AWS_ACCESS_KEY_ID", "TZ", "https_proxy", "MALLOC_ARENA_MAX"];
  assertKnownVariables(known.map((name, at) => ({ name, place: `/etc/environment:${at}` })));
  const wrong = (name: string) => () => assertKnownVariables([{ name, place: "/etc/environment:7" }]);
  expect(wrong("BODY_LIMTI")).toThrow(
    "/etc/environment:7: there is no setting BODY_LIMTI. Did you mean BODY_LIMIT?",
  );
  expect(wrong("COLOUR")).toThrow("adoption-store config example lists all settings");
});
