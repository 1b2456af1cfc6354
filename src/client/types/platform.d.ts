// Written by `bun run client:types` from the platform's OpenAPI document: nothing here is written by hand.

export interface paths {
  "/platform/projects": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List projects
     * @description In the order in which they were created. While more pages follow, the `Link` header gives the address of the next one. Needs the scope `platform:read`.
     */
    get: operations["listProjects"];
    put?: never;
    /**
     * Create a project
     * @description The slug must be a DNS label that no other project has. Some labels are reserved, such as `www` and `api`. Needs the scope `platform:write`.
     */
    post: operations["createProject"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/projects/{slug}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch one project
     * @description With its default address and its CNAME target. Needs the scope `platform:read`.
     */
    get: operations["getProject"];
    put?: never;
    post?: never;
    /**
     * Delete a project
     * @description Deletes the project with its deploys and domains. It stops being served with the next request. Needs the scope `platform:write`.
     */
    delete: operations["deleteProject"];
    options?: never;
    head?: never;
    /**
     * Change a project
     * @description Changes the name, the plan, or both. Absent fields keep their value. Needs the scope `platform:write`.
     */
    patch: operations["changeProject"];
    trace?: never;
  };
  "/platform/projects/{slug}/deploys": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List deploys
     * @description The newest 20 that succeeded and the newest 20 that failed, newest first. While more follow, the `Link` header names the next page. Needs the scope `platform:read`.
     */
    get: operations["listDeploys"];
    put?: never;
    /**
     * Deploy a site
     * @description Send a `.tar.gz` or a `.zip` of static files with `index.html` at its root, or in a single top-level directory, which is stripped. The site switches in one step, once all of it is on disk. A refused archive is recorded as `failed` with its reason, and the previous site is still served. All kept deploys of a project share a quota, in which a file that several deploys share counts once; a deploy beyond the quota gets `quota_exceeded`. After 30 seconds, an upload slower than 32 KiB a second is refused. Needs the scope `platform:write`.
     */
    post: operations["uploadDeploy"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/projects/{slug}/deploys/{deployId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch one deploy
     * @description A failed deploy has the reason. Needs the scope `platform:read`.
     */
    get: operations["getDeploy"];
    put?: never;
    post?: never;
    /**
     * Delete a deploy
     * @description A deleted deploy can't be served again, and no longer counts in the project's quota. Files that no other deploy needs are removed within the hour. Needs the scope `platform:write`.
     */
    delete: operations["deleteDeploy"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/projects/{slug}/deploys/{deployId}/activate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Serve a deploy again
     * @description Rolls the site back or forward: once the response arrives, this deploy is served. Repeating the request is safe. Needs the scope `platform:write`.
     */
    post: operations["activateDeploy"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/projects/{slug}/domains": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the domains of a project
     * @description In the order they were added. While more follow, the `Link` header names the next page. Needs the scope `platform:read`.
     */
    get: operations["listDomains"];
    put?: never;
    /**
     * Add a domain to a project
     * @description Needs the plan Pro or above and a successful deploy. The response has the DNS record to create. The service looks for it at 1, 2, 5 and 10 minutes, then every 15, for 48 hours. A project's first domain is its primary one. Any project can add a name, even one that another project holds: the DNS decides. The first project whose own target it shows gets the name at once; a project that held it loses it, with its certificate. An apex that has only addresses also needs the TXT record `record.proof`. Adding a domain again changes nothing. Needs the scope `platform:write`.
     */
    post: operations["addDomain"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/projects/{slug}/domains/{hostname}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch one domain
     * @description With the record that it needs, what its last check found, and every response to that check. Needs the scope `platform:read`.
     */
    get: operations["getDomain"];
    put?: never;
    post?: never;
    /**
     * Remove a domain
     * @description Nothing is served under it after the response. If its address was shared, let it redirect instead, in the project's configuration. Domains that redirected to it show the site themselves. Needs the scope `platform:write`.
     */
    delete: operations["removeDomain"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/projects/{slug}/domains/{hostname}/verify": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Verify a domain now
     * @description Can be repeated, 10 times a minute for each domain. Asks the zone's own name servers and the resolvers, which may take some seconds. The findings in the response say what is wrong. Needs the scope `platform:write`.
     */
    post: operations["verifyDomain"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/projects/{slug}/domains/{hostname}/primary": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Make a domain the primary one
     * @description Domains that redirect now redirect to it, once it is live. The domain that was primary before shows the site. Can be repeated. Needs the scope `platform:write`.
     */
    put: operations["makePrimaryDomain"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/projects/{slug}/domains/{hostname}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what happened to a domain
     * @description Newest first, also of a domain that was removed. While more follow, the `Link` header names the next page. Needs the scope `platform:read`.
     */
    get: operations["listDomainEvents"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/projects/{slug}/config": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch the configuration of a project's domains
     * @description As JSON, or as YAML if the request prefers `application/yaml`. Needs the scope `platform:read`.
     */
    get: operations["getDomainsConfig"];
    /**
     * Replace the configuration of a project's domains
     * @description Applied whole or not at all. The error names everything that is wrong. Every redirect must lead to the primary domain, with 301. Domains that it does not name show the site. Needs the scope `platform:write`.
     */
    put: operations["putDomainsConfig"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/keys": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List API keys
     * @description Ascending by id, including revoked keys. If more keys follow, the `Link` header has the address of the next page. Needs the scope `keys:admin`.
     */
    get: operations["listKeys"];
    put?: never;
    /**
     * Create an API key
     * @description The secret is in this response and nowhere else. A key never grants more than it has: the scopes, `expiresAt` and `rateLimit` of the new key must be within those of the key that creates it. Needs the scope `keys:admin`.
     */
    post: operations["createKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/keys/{keyId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch one API key
     * @description Includes revoked and expired keys. Needs the scope `keys:admin`.
     */
    get: operations["getKey"];
    put?: never;
    post?: never;
    /**
     * Revoke an API key
     * @description Takes effect from the next request on and can't be undone. Revoking a key again does nothing. The last usable key with `keys:admin` or `*` is revoked only with `force=true`. Needs the scope `keys:admin`.
     */
    delete: operations["revokeKey"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/keys/{keyId}/rotate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Give an API key a new secret
     * @description The old secret stays valid for the grace period, so that clients can be moved one by one. A key can rotate itself, and any key whose scopes, lifetime and rate limit are within its own. Needs the scope `keys:admin`.
     */
    post: operations["rotateKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/livez": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Check that the process is alive
     * @description For supervisors: restart the process if it does not respond. No API key is required.
     */
    get: operations["getLiveness"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/readyz": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Check that the service is ready
     * @description For load balancers, without an API key. Ready means that the database is writable, its migrations are current, the disk has room, and files can be opened. `warnings` counts problems that need attention soon, such as certificates that are about to expire. A key with the scope `metrics:read` also gets the messages of `warnings` and the reason why the service is not ready; other keys are ignored.
     */
    get: operations["getReadiness"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/metrics": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get metrics in the Prometheus text format
     * @description Requests by route template, deprecated calls by key, and the resources of the process. Needs the scope `metrics:read`.
     */
    get: operations["getMetrics"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/openapi.json": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The store's OpenAPI document
     * @description With the server's own addresses filled in. No API key is required.
     */
    get: operations["getStoreDocument"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/openapi.json": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * This OpenAPI document
     * @description With the server's own addresses filled in. No API key is required.
     */
    get: operations["getPlatformDocument"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description Every error has this form. */
    Error: {
      /** @description Machine-readable error code. */
      code: string;
      /** @description Human-readable description. */
      message: string;
      /** @description The HTTP status code of the response. */
      status: number;
    };
    /** @description A project to create. The default plan is `free`. */
    NewProject: {
      /** @description The project's label in its default address: a DNS label. */
      slug: string;
      /** @description The name of the project. */
      name: string;
      plan?: components["schemas"]["Plan"];
    };
    /**
     * @description What the project may use. Custom domains require `pro` or above.
     * @enum {string}
     */
    Plan: "free" | "pro" | "enterprise";
    /** @description A documentation project. */
    Project: {
      /** @description The project's label in its default address: a DNS label. */
      slug: string;
      /** @description The name of the project. */
      name: string;
      plan: components["schemas"]["Plan"];
      /** @description The value of the CNAME record of a custom domain. Every project has its own. */
      target: string;
      /** @description The default address of the published project. */
      address: string;
      /**
       * Format: int64
       * @description The deploy that is served. Absent before the first successful deploy.
       */
      activeDeploy?: number;
      /**
       * Format: date-time
       * @description When the project was created.
       */
      createdAt: string;
    };
    /** @description The fields to change. Absent fields keep their value. */
    ProjectChange: {
      /** @description The name of the project. */
      name?: string;
      plan?: components["schemas"]["Plan"];
    };
    /** @description Projects, in the order in which they were created. */
    Projects: components["schemas"]["Project"][];
    /** @description An uploaded version of a project's site. */
    Deploy: {
      /**
       * Format: int64
       * @description Identifies the deploy.
       */
      id: number;
      /**
       * @description `failed`: the archive was refused, and the previous site is still served.
       * @enum {string}
       */
      status: "succeeded" | "failed";
      /** @description Why it failed. */
      reason?: string;
      /** @description True for the served deploy. */
      active: boolean;
      /** @description Number of files. */
      files: number;
      /** @description Bytes of all files, unpacked. */
      bytes: number;
      /**
       * Format: int64
       * @description The API key that uploaded it. Absent if the service made the deploy.
       */
      key?: number;
      /**
       * Format: date-time
       * @description When the deploy was stored.
       */
      createdAt: string;
    };
    /** @description Deploys, newest first. */
    Deploys: components["schemas"]["Deploy"][];
    /** @description A custom domain, and what to do for it. */
    Domain: {
      /** @description In A-labels. */
      hostname: string;
      /** @description The same with U-labels, to show. */
      unicode: string;
      /**
       * @description `awaiting_dns`: its record does not exist yet; `dns_conflict`: another record is in its place; `verified`, `issuing`, `issue_failed`: it waits for its certificate; `live`: it is served; `suspended`: the plan is below Pro.
       * @enum {string}
       */
      stage: "awaiting_dns" | "dns_conflict" | "verified" | "issuing" | "issue_failed" | "live" | "suspended";
      /**
       * @description `redirect`: its visitors are sent to the primary domain with 301, while that is live; visitors of other domains get the site.
       * @enum {string}
       */
      role: "primary" | "served" | "redirect";
      record: components["schemas"]["DomainRecord"];
      /** @description Of the last check; empty if everything is right. */
      findings: components["schemas"]["DomainFinding"][];
      /**
       * Format: date-time
       * @description When it was added.
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When its records were last checked.
       */
      checkedAt?: string;
      /**
       * Format: date-time
       * @description When the service checks them next; absent: only on request.
       */
      nextCheckAt?: string;
      /**
       * Format: date-time
       * @description Since when a live domain no longer verifies; 7 days later it is no longer served.
       */
      failingSince?: string;
      /**
       * Format: date-time
       * @description When its records were first found right.
       */
      verifiedAt?: string;
      /**
       * Format: date-time
       * @description Since when it is served.
       */
      liveAt?: string;
      certificate?: components["schemas"]["DomainCertificate"];
      trace?: components["schemas"]["DomainTrace"];
    };
    /** @description The record to create at the DNS provider; of a registered domain itself, `proof` too. */
    DomainRecord: {
      /**
       * @description `ALIAS` for a registered domain itself.
       * @enum {string}
       */
      type: "CNAME" | "ALIAS";
      /** @description What to enter as the record's name: `@` for the registered domain itself. */
      name: string;
      /** @description What it must point to: the project's own target, exactly. */
      value: string;
      /** @description Seconds. */
      ttl: number;
      /** @description What else to know about the record. */
      note?: string;
      /** @description The line of a zone file; none for an ALIAS. */
      bind?: string;
      /** @description The block of a Terraform configuration. */
      terraform: string;
      proof?: components["schemas"]["ProofRecord"];
    };
    /** @description A second record to create: it tells which project a registered domain is for. */
    ProofRecord: {
      /** @enum {string} */
      type: "TXT";
      /** @description What to enter as the record's name. */
      name: string;
      /** @description The project's own target, exactly. */
      value: string;
      /** @description Seconds. */
      ttl: number;
      /** @description The line of a zone file. */
      bind: string;
      /** @description The block of a Terraform configuration. */
      terraform: string;
    };
    /** @description What a check found, naming the record to change. */
    DomainFinding: {
      /**
       * @description `not_propagated` and `unreachable` only need time; `unreachable` never counts as a failure. `ownership_unproven`: the addresses of a registered domain are those of every project, and only the TXT record `record.proof` tells which of them it is for. `domain_taken`: the DNS also names the project that holds the domain. `domain_lost`: another project has proven that the domain is its own.
       * @enum {string}
       */
      kind:
        | "no_record"
        | "wrong_target"
        | "conflicting_record"
        | "caa_forbids"
        | "not_propagated"
        | "ownership_unproven"
        | "unreachable"
        | "domain_taken"
        | "domain_lost";
      /** @description What to do, in one sentence. */
      message: string;
      /** @description The name whose record it is about. */
      name: string;
      /** @description The record's type. */
      type?: string;
      /** @description Its values. */
      found?: string[];
      /** @description What they must be. */
      expected?: string[];
      /** @description The server that responded so, or did not respond. */
      server?: string;
      /** @description How long caches may keep the old records. */
      seconds?: number;
      /** @description Why a server could not be asked. */
      reason?: string;
    };
    /** @description A name's certificate, and its progress. */
    DomainCertificate: {
      /**
       * @description `wanted`: not ordered yet; `ordered`: the CA is at work; `failing`: the last attempt failed; `ssl_overdue`: no certificate after 30 minutes; `in_use`, also while it is renewed; `expired`.
       * @enum {string}
       */
      status: "wanted" | "ordered" | "failing" | "ssl_overdue" | "in_use" | "expired";
      /**
       * Format: date-time
       * @description From when on it is valid.
       */
      notBefore?: string;
      /**
       * Format: date-time
       * @description Until when it is valid.
       */
      notAfter?: string;
      /** @description The directory of the CA that issued it, or `imported`. */
      authority?: string;
      problem?: components["schemas"]["CertificateProblem"];
      /** @description Failed attempts in a row. */
      failures?: number;
      /**
       * Format: date-time
       * @description When the service acts by itself: the next attempt, or a renewal.
       */
      nextAttemptAt?: string;
    };
    /** @description Why the last attempt failed. */
    CertificateProblem: {
      /** @description What kind of problem: RFC 8555's word, or one of ours. */
      type: string;
      /** @description What the CA said, in its own words. */
      detail: string;
      status?: number;
      subproblems: components["schemas"]["CertificateSubproblem"][];
    };
    /** @description One reason of several why the last attempt failed. */
    CertificateSubproblem: {
      /** @description What kind of problem. */
      type: string;
      /** @description What the CA said about it. */
      detail: string;
      /** @description The name that it is about. */
      identifier?: string;
    };
    /** @description Every query of the last check, and its response. */
    DomainTrace: {
      /** @description What the record had to point to. */
      target: string;
      /** @description The zone that holds the name, if the resolvers knew one. */
      zone?: string;
      /** @description The zone's own servers that were asked. */
      nameServers: string[];
      /** @description The name, and the value of every CNAME record from it on. */
      chain: string[];
      /** @description Addresses of the target. */
      targetAddresses: string[];
      /** @description The CAA records that count. */
      caa: string[];
      /** @description Every query, in the order of the responses; at most 200. */
      questions: components["schemas"]["DomainQuestion"][];
    };
    /** @description A query of a check, and its response. */
    DomainQuestion: {
      /** @description The server that was asked. */
      server: string;
      /** @description The name. */
      name: string;
      /** @description The type of record. */
      type: string;
      /** @description True if the server was asked as a resolver. */
      recursive: boolean;
      /** @enum {string} */
      transport: "udp" | "tcp";
      /** @description The response code, or why there was no response: `timeout`, `refused`, ... */
      outcome: string;
      /** @description More about why there was no response. */
      detail?: string;
      /** @description The records, as zone files write them; at most 20. */
      records: string[];
      /** @description How long it took. */
      milliseconds: number;
    };
    /** @description What happened to a domain. */
    DomainEvent: {
      /**
       * Format: date-time
       * @description When it happened.
       */
      at: string;
      /**
       * @description `key`: an API key; `operator`: the command line; `service`: the service itself.
       * @enum {string}
       */
      actor: "key" | "operator" | "service";
      /**
       * Format: int64
       * @description The API key.
       */
      key?: number;
      /**
       * @description What happened. A check with the same result as the one before is left out.
       * @enum {string}
       */
      event:
        | "added"
        | "records_right"
        | "records_wrong"
        | "records_missing"
        | "lapsed"
        | "served_over_http"
        | "order_placed"
        | "certificate_stored"
        | "issue_refused"
        | "plan_dropped"
        | "plan_restored"
        | "yielded"
        | "removed"
        | "unreachable"
        | "domain_taken"
        | "became_primary"
        | "became_served"
        | "became_redirect";
      /**
       * @description The stage that it led to, or left as it was.
       * @enum {string}
       */
      stage:
        | "awaiting_dns"
        | "dns_conflict"
        | "verified"
        | "issuing"
        | "issue_failed"
        | "live"
        | "suspended"
        | "removed";
      /** @description What a check found. */
      findings: components["schemas"]["DomainFinding"][];
    };
    /** @description What happened to a domain, newest first. */
    DomainHistory: components["schemas"]["DomainEvent"][];
    /** @description Domains of a project, in the order they were added. */
    Domains: components["schemas"]["Domain"][];
    /** @description Which domain is the primary one, and which redirect to it. */
    DomainsConfig: {
      domains: components["schemas"]["DomainRoles"];
    };
    /** @description What the domains are. */
    DomainRoles: {
      /** @description Absent while no domain is the primary one. */
      primary?: string;
      /** @description Domains that send their visitors to the primary domain, path and query kept. */
      redirects: components["schemas"]["Redirect"][];
    };
    /** @description A domain that sends its visitors to the primary domain. */
    Redirect: {
      /** @description A domain of the project. */
      from: string;
      /** @description The primary domain. */
      to: string;
      status: number;
    };
    /** @description A custom domain to add. */
    NewDomain: {
      /** @description The domain or subdomain, with U-labels or A-labels. No IP address, wildcard, single label or public suffix. */
      hostname: string;
    };
    /** @description Which domain is the primary one, and which redirect to it. */
    NewDomainsConfig: {
      domains: components["schemas"]["NewDomainRoles"];
    };
    /** @description What the domains are to be. */
    NewDomainRoles: {
      /** @description A domain of the project. */
      primary: string;
      /** @description Domains that send their visitors to the primary domain, path and query kept. */
      redirects?: components["schemas"]["NewRedirect"][];
    };
    /** @description A domain that is to send its visitors to the primary domain. */
    NewRedirect: {
      /** @description A domain of the project. */
      from: string;
      /** @description The primary domain. */
      to: string;
      status: number;
    };
    /** @description An API key, without its secret. */
    Key: {
      /**
       * Format: int64
       * @description Identifies the key. It is not secret.
       */
      id: number;
      /** @description What the key is for, in your own words. */
      name: string;
      /** @description What the key may do. */
      scopes: components["schemas"]["Scope"][];
      /** @description The maximum number of requests in a window. */
      rateLimit?: string;
      /**
       * Format: date-time
       * @description When the key expires. Without it, the key never expires.
       */
      expiresAt?: string;
      /** @description The first characters of its newest secret, to recognise it by. */
      prefix: string;
      /**
       * Format: date-time
       * @description When it was created.
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When it was last used, accurate to a few seconds.
       */
      lastUsedAt?: string;
      /**
       * Format: date-time
       * @description When it was revoked.
       */
      revokedAt?: string;
      /** @description Its calls to deprecated operations since the server started. */
      deprecatedCalls?: number;
    };
    /**
     * @description What a key may do. `*`: everything, including scopes of later versions; `pets:read`: list and fetch animals; `pets:write`: add and change animals; `orders:read`: read orders; `orders:write`: place and change orders; `platform:read`: read projects, deploys and domains; `platform:write`: change projects, deploys and domains; `metrics:read`: read /metrics; `keys:admin`: create, list, rotate and revoke API keys.
     * @enum {string}
     */
    Scope:
      | "*"
      | "pets:read"
      | "pets:write"
      | "orders:read"
      | "orders:write"
      | "platform:read"
      | "platform:write"
      | "metrics:read"
      | "keys:admin";
    /** @description API keys, ascending by id. */
    Keys: components["schemas"]["Key"][];
    /** @description An API key with its secret. */
    MintedKey: {
      /**
       * Format: int64
       * @description Identifies the key. It is not secret.
       */
      id: number;
      /** @description What the key is for, in your own words. */
      name: string;
      /** @description What the key may do. */
      scopes: components["schemas"]["Scope"][];
      /** @description The maximum number of requests in a window. */
      rateLimit?: string;
      /**
       * Format: date-time
       * @description When the key expires. Without it, the key never expires.
       */
      expiresAt?: string;
      /** @description The first characters of its newest secret, to recognise it by. */
      prefix: string;
      /**
       * Format: date-time
       * @description When it was created.
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When it was last used, accurate to a few seconds.
       */
      lastUsedAt?: string;
      /**
       * Format: date-time
       * @description When it was revoked.
       */
      revokedAt?: string;
      /** @description Send it after `Authorization: Bearer`. It is shown only once and is not stored. */
      secret: string;
    };
    /** @description A key to create. */
    NewKey: {
      /** @description What the key is for, in your own words. */
      name: string;
      /** @description What the key may do. */
      scopes: components["schemas"]["Scope"][];
      /** @description The maximum number of requests in a window. */
      rateLimit?: string;
      /**
       * Format: date-time
       * @description When the key expires. Without it, the key never expires.
       */
      expiresAt?: string;
    };
    /** @description How to rotate a key. */
    Rotation: {
      /** @description How long the old secret stays valid; 86400 by default. */
      graceSeconds?: number;
    };
    /** @description The process is alive. */
    Liveness: {
      /** @enum {string} */
      status: "alive";
    };
    /** @description The service is ready. */
    Readiness: {
      /** @enum {string} */
      status: "ready";
      /** @description Absent if there are none. */
      warnings?: components["schemas"]["ReadinessWarning"][];
    };
    /** @description A problem that needs attention soon. */
    ReadinessWarning: {
      /** @description The kind of warning. */
      code: string;
      /** @description The number of things affected. */
      count: number;
      /** @description What to do; only for a key with the scope `metrics:read`. */
      message?: string;
    };
    /** @description An OpenAPI document. */
    OpenApiDocument: {
      /** @description The version of OpenAPI. */
      openapi: string;
      /** @description Title, version and description of the API. */
      info: {
        [key: string]: unknown;
      };
      /** @description The operations, by path. */
      paths: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listProjects: {
    parameters: {
      query?: {
        /** @description The maximum number of items to return. */
        limit?: number;
        /** @description Where the page starts: copy it from the `Link` header of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The projects. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "slug": "docs",
           *         "name": "Documentation",
           *         "plan": "pro",
           *         "target": "k3vq7zj5n2xw4ryt6mbd.cname.example.org",
           *         "address": "http://docs.example.org/",
           *         "createdAt": "2026-11-20T09:30:00.000Z"
           *       }
           *     ]
           */
          "application/json": components["schemas"]["Projects"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createProject: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "slug": "docs",
         *       "name": "Documentation",
         *       "plan": "pro"
         *     }
         */
        "application/json": components["schemas"]["NewProject"];
      };
    };
    responses: {
      /** @description The new project. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "slug": "docs",
           *       "name": "Documentation",
           *       "plan": "pro",
           *       "target": "k3vq7zj5n2xw4ryt6mbd.cname.example.org",
           *       "address": "http://docs.example.org/",
           *       "createdAt": "2026-11-20T09:30:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Project"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getProject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The project. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "slug": "docs",
           *       "name": "Documentation",
           *       "plan": "pro",
           *       "target": "k3vq7zj5n2xw4ryt6mbd.cname.example.org",
           *       "address": "http://docs.example.org/",
           *       "createdAt": "2026-11-20T09:30:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Project"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteProject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The project is deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  changeProject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "plan": "enterprise"
         *     }
         */
        "application/json": components["schemas"]["ProjectChange"];
      };
    };
    responses: {
      /** @description The changed project. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "slug": "docs",
           *       "name": "Documentation",
           *       "plan": "enterprise",
           *       "target": "k3vq7zj5n2xw4ryt6mbd.cname.example.org",
           *       "address": "http://docs.example.org/",
           *       "createdAt": "2026-11-20T09:30:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Project"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listDeploys: {
    parameters: {
      query?: {
        /** @description The maximum number of items to return. */
        limit?: number;
        /** @description Where the page starts: copy it from the `Link` header of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The deploys. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 3,
           *         "status": "succeeded",
           *         "active": true,
           *         "files": 42,
           *         "bytes": 1234567,
           *         "key": 1,
           *         "createdAt": "2026-11-20T09:30:00.000Z"
           *       },
           *       {
           *         "id": 2,
           *         "status": "failed",
           *         "active": false,
           *         "files": 0,
           *         "bytes": 0,
           *         "key": 1,
           *         "createdAt": "2026-11-20T09:30:00.000Z",
           *         "reason": "\"../x\": leads out of the site"
           *       }
           *     ]
           */
          "application/json": components["schemas"]["Deploys"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  uploadDeploy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/gzip": Blob;
        "application/zip": Blob;
      };
    };
    responses: {
      /** @description The deploy is served. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "status": "succeeded",
           *       "active": true,
           *       "files": 42,
           *       "bytes": 1234567,
           *       "key": 1,
           *       "createdAt": "2026-11-20T09:30:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Deploy"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getDeploy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
        /** @description Id of the deploy. */
        deployId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The deploy. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "status": "succeeded",
           *       "active": true,
           *       "files": 42,
           *       "bytes": 1234567,
           *       "key": 1,
           *       "createdAt": "2026-11-20T09:30:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Deploy"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  deleteDeploy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
        /** @description Id of the deploy. */
        deployId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The deploy is deleted. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  activateDeploy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
        /** @description Id of the deploy. */
        deployId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The deploy is served. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "status": "succeeded",
           *       "active": true,
           *       "files": 42,
           *       "bytes": 1234567,
           *       "key": 1,
           *       "createdAt": "2026-11-20T09:30:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Deploy"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listDomains: {
    parameters: {
      query?: {
        /** @description The maximum number of items to return. */
        limit?: number;
        /** @description Where the page starts: copy it from the `Link` header of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The domains. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "hostname": "docs.example.org",
           *         "unicode": "docs.example.org",
           *         "stage": "live",
           *         "role": "primary",
           *         "record": {
           *           "type": "CNAME",
           *           "name": "docs",
           *           "value": "k3vq7zj5n2xw4ryt6mbd.cname.example.net",
           *           "ttl": 3600,
           *           "bind": "docs.example.org. 3600 IN CNAME k3vq7zj5n2xw4ryt6mbd.cname.example.net.",
           *           "terraform": "resource \"dns_cname_record\" \"docs_example_org\" {\n  zone  = \"example.org.\"\n  name  = \"docs\"\n  cname = \"k3vq7zj5n2xw4ryt6mbd.cname.example.net.\"\n  ttl   = 3600\n}"
           *         },
           *         "findings": [],
           *         "createdAt": "2026-11-20T09:30:00.000Z",
           *         "nextCheckAt": "2026-11-21T09:31:00.000Z",
           *         "checkedAt": "2026-11-20T09:31:00.000Z",
           *         "verifiedAt": "2026-11-20T09:31:00.000Z",
           *         "liveAt": "2026-11-20T09:31:00.000Z"
           *       }
           *     ]
           */
          "application/json": components["schemas"]["Domains"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  addDomain: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "hostname": "docs.example.org"
         *     }
         */
        "application/json": components["schemas"]["NewDomain"];
      };
    };
    responses: {
      /** @description The project has the domain already. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hostname": "docs.example.org",
           *       "unicode": "docs.example.org",
           *       "stage": "live",
           *       "role": "primary",
           *       "record": {
           *         "type": "CNAME",
           *         "name": "docs",
           *         "value": "k3vq7zj5n2xw4ryt6mbd.cname.example.net",
           *         "ttl": 3600,
           *         "bind": "docs.example.org. 3600 IN CNAME k3vq7zj5n2xw4ryt6mbd.cname.example.net.",
           *         "terraform": "resource \"dns_cname_record\" \"docs_example_org\" {\n  zone  = \"example.org.\"\n  name  = \"docs\"\n  cname = \"k3vq7zj5n2xw4ryt6mbd.cname.example.net.\"\n  ttl   = 3600\n}"
           *       },
           *       "findings": [],
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "nextCheckAt": "2026-11-21T09:31:00.000Z",
           *       "checkedAt": "2026-11-20T09:31:00.000Z",
           *       "verifiedAt": "2026-11-20T09:31:00.000Z",
           *       "liveAt": "2026-11-20T09:31:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Domain"];
        };
      };
      /** @description The domain. It waits for its record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hostname": "docs.example.org",
           *       "unicode": "docs.example.org",
           *       "stage": "awaiting_dns",
           *       "role": "primary",
           *       "record": {
           *         "type": "CNAME",
           *         "name": "docs",
           *         "value": "k3vq7zj5n2xw4ryt6mbd.cname.example.net",
           *         "ttl": 3600,
           *         "bind": "docs.example.org. 3600 IN CNAME k3vq7zj5n2xw4ryt6mbd.cname.example.net.",
           *         "terraform": "resource \"dns_cname_record\" \"docs_example_org\" {\n  zone  = \"example.org.\"\n  name  = \"docs\"\n  cname = \"k3vq7zj5n2xw4ryt6mbd.cname.example.net.\"\n  ttl   = 3600\n}"
           *       },
           *       "findings": [],
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "nextCheckAt": "2026-11-20T09:31:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Domain"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getDomain: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
        /** @description The domain, with U-labels or A-labels, in any case. */
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The domain. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hostname": "docs.example.org",
           *       "unicode": "docs.example.org",
           *       "stage": "live",
           *       "role": "primary",
           *       "record": {
           *         "type": "CNAME",
           *         "name": "docs",
           *         "value": "k3vq7zj5n2xw4ryt6mbd.cname.example.net",
           *         "ttl": 3600,
           *         "bind": "docs.example.org. 3600 IN CNAME k3vq7zj5n2xw4ryt6mbd.cname.example.net.",
           *         "terraform": "resource \"dns_cname_record\" \"docs_example_org\" {\n  zone  = \"example.org.\"\n  name  = \"docs\"\n  cname = \"k3vq7zj5n2xw4ryt6mbd.cname.example.net.\"\n  ttl   = 3600\n}"
           *       },
           *       "findings": [],
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "nextCheckAt": "2026-11-21T09:31:00.000Z",
           *       "checkedAt": "2026-11-20T09:31:00.000Z",
           *       "verifiedAt": "2026-11-20T09:31:00.000Z",
           *       "liveAt": "2026-11-20T09:31:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Domain"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  removeDomain: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
        /** @description The domain, with U-labels or A-labels, in any case. */
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The domain is gone. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  verifyDomain: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
        /** @description The domain, with U-labels or A-labels, in any case. */
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The domain as it is now, with every response to the check. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hostname": "docs.example.org",
           *       "unicode": "docs.example.org",
           *       "stage": "live",
           *       "role": "primary",
           *       "record": {
           *         "type": "CNAME",
           *         "name": "docs",
           *         "value": "k3vq7zj5n2xw4ryt6mbd.cname.example.net",
           *         "ttl": 3600,
           *         "bind": "docs.example.org. 3600 IN CNAME k3vq7zj5n2xw4ryt6mbd.cname.example.net.",
           *         "terraform": "resource \"dns_cname_record\" \"docs_example_org\" {\n  zone  = \"example.org.\"\n  name  = \"docs\"\n  cname = \"k3vq7zj5n2xw4ryt6mbd.cname.example.net.\"\n  ttl   = 3600\n}"
           *       },
           *       "findings": [],
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "nextCheckAt": "2026-11-21T09:31:00.000Z",
           *       "checkedAt": "2026-11-20T09:31:00.000Z",
           *       "verifiedAt": "2026-11-20T09:31:00.000Z",
           *       "liveAt": "2026-11-20T09:31:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Domain"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  makePrimaryDomain: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
        /** @description The domain, with U-labels or A-labels, in any case. */
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The domain. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hostname": "docs.example.org",
           *       "unicode": "docs.example.org",
           *       "stage": "live",
           *       "role": "primary",
           *       "record": {
           *         "type": "CNAME",
           *         "name": "docs",
           *         "value": "k3vq7zj5n2xw4ryt6mbd.cname.example.net",
           *         "ttl": 3600,
           *         "bind": "docs.example.org. 3600 IN CNAME k3vq7zj5n2xw4ryt6mbd.cname.example.net.",
           *         "terraform": "resource \"dns_cname_record\" \"docs_example_org\" {\n  zone  = \"example.org.\"\n  name  = \"docs\"\n  cname = \"k3vq7zj5n2xw4ryt6mbd.cname.example.net.\"\n  ttl   = 3600\n}"
           *       },
           *       "findings": [],
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "nextCheckAt": "2026-11-21T09:31:00.000Z",
           *       "checkedAt": "2026-11-20T09:31:00.000Z",
           *       "verifiedAt": "2026-11-20T09:31:00.000Z",
           *       "liveAt": "2026-11-20T09:31:00.000Z"
           *     }
           */
          "application/json": components["schemas"]["Domain"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listDomainEvents: {
    parameters: {
      query?: {
        /** @description The maximum number of items to return. */
        limit?: number;
        /** @description Where the page starts: copy it from the `Link` header of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
        /** @description The domain, with U-labels or A-labels, in any case. */
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What happened. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "at": "2026-11-20T09:31:00.000Z",
           *         "actor": "service",
           *         "event": "records_right",
           *         "stage": "verified",
           *         "findings": []
           *       },
           *       {
           *         "at": "2026-11-20T09:30:00.000Z",
           *         "actor": "key",
           *         "key": 1,
           *         "event": "added",
           *         "stage": "awaiting_dns",
           *         "findings": []
           *       }
           *     ]
           */
          "application/json": components["schemas"]["DomainHistory"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getDomainsConfig: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The configuration. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "domains": {
           *         "primary": "docs.example.org",
           *         "redirects": [
           *           {
           *             "from": "www.example.org",
           *             "to": "docs.example.org",
           *             "status": 301
           *           }
           *         ]
           *       }
           *     }
           */
          "application/json": components["schemas"]["DomainsConfig"];
          /**
           * @example {
           *       "domains": {
           *         "primary": "docs.example.org",
           *         "redirects": [
           *           {
           *             "from": "www.example.org",
           *             "to": "docs.example.org",
           *             "status": 301
           *           }
           *         ]
           *       }
           *     }
           */
          "application/yaml": components["schemas"]["DomainsConfig"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  putDomainsConfig: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "domains": {
         *         "primary": "docs.example.org",
         *         "redirects": [
         *           {
         *             "from": "www.example.org",
         *             "to": "docs.example.org",
         *             "status": 301
         *           }
         *         ]
         *       }
         *     }
         */
        "application/json": components["schemas"]["NewDomainsConfig"];
        /**
         * @example {
         *       "domains": {
         *         "primary": "docs.example.org",
         *         "redirects": [
         *           {
         *             "from": "www.example.org",
         *             "to": "docs.example.org",
         *             "status": 301
         *           }
         *         ]
         *       }
         *     }
         */
        "application/yaml": components["schemas"]["NewDomainsConfig"];
        /**
         * @example {
         *       "domains": {
         *         "primary": "docs.example.org",
         *         "redirects": [
         *           {
         *             "from": "www.example.org",
         *             "to": "docs.example.org",
         *             "status": 301
         *           }
         *         ]
         *       }
         *     }
         */
        "application/x-yaml": components["schemas"]["NewDomainsConfig"];
        /**
         * @example {
         *       "domains": {
         *         "primary": "docs.example.org",
         *         "redirects": [
         *           {
         *             "from": "www.example.org",
         *             "to": "docs.example.org",
         *             "status": 301
         *           }
         *         ]
         *       }
         *     }
         */
        "text/yaml": components["schemas"]["NewDomainsConfig"];
      };
    };
    responses: {
      /** @description The configuration as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "domains": {
           *         "primary": "docs.example.org",
           *         "redirects": [
           *           {
           *             "from": "www.example.org",
           *             "to": "docs.example.org",
           *             "status": 301
           *           }
           *         ]
           *       }
           *     }
           */
          "application/json": components["schemas"]["DomainsConfig"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  listKeys: {
    parameters: {
      query?: {
        /** @description The maximum number of items to return. */
        limit?: number;
        /** @description Where the page starts: copy it from the `Link` header of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keys, without their secrets. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 2,
           *         "name": "shelter website",
           *         "scopes": [
           *           "pets:read"
           *         ],
           *         "rateLimit": "600/min",
           *         "prefix": "aas_7Gx2",
           *         "createdAt": "2026-11-20T09:30:00.000Z",
           *         "deprecatedCalls": 3
           *       }
           *     ]
           */
          "application/json": components["schemas"]["Keys"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  createKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "shelter website",
         *       "scopes": [
         *         "pets:read"
         *       ],
         *       "rateLimit": "600/min"
         *     }
         */
        "application/json": components["schemas"]["NewKey"];
      };
    };
    responses: {
      /** @description The key and its secret. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 2,
           *       "name": "shelter website",
           *       "scopes": [
           *         "pets:read"
           *       ],
           *       "rateLimit": "600/min",
           *       "prefix": "aas_7Gx2",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "secret": "aas_(36 letters and digits)"
           *     }
           */
          "application/json": components["schemas"]["MintedKey"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the key. */
        keyId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key, without its secret. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 2,
           *       "name": "shelter website",
           *       "scopes": [
           *         "pets:read"
           *       ],
           *       "rateLimit": "600/min",
           *       "prefix": "aas_7Gx2",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "deprecatedCalls": 3
           *     }
           */
          "application/json": components["schemas"]["Key"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  revokeKey: {
    parameters: {
      query?: {
        /** @description `true`: revoke the key even if no other usable key can manage keys. */
        force?: "true" | "false";
      };
      header?: never;
      path: {
        /** @description Id of the key. */
        keyId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key is revoked. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  rotateKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the key. */
        keyId: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "graceSeconds": 3600
         *     }
         */
        "application/json": components["schemas"]["Rotation"];
      };
    };
    responses: {
      /** @description The key and its new secret. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 2,
           *       "name": "shelter website",
           *       "scopes": [
           *         "pets:read"
           *       ],
           *       "rateLimit": "600/min",
           *       "prefix": "aas_7Gx2",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "secret": "aas_(36 letters and digits)"
           *     }
           */
          "application/json": components["schemas"]["MintedKey"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getLiveness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The process is alive. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "alive"
           *     }
           */
          "application/json": components["schemas"]["Liveness"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getReadiness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The service is ready. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "ready"
           *     }
           */
          "application/json": components["schemas"]["Readiness"];
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getMetrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The metrics. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /** @example adoption_store_info{version="1.0.0"} 1 */
          "text/plain": string;
        };
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getStoreDocument: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tags, or `*`. If one of them is the current `ETag`, the response is 304, without a body. */
        "If-None-Match"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The OpenAPI 3.1 document. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "openapi": "3.1.0",
           *       "info": {
           *         "title": "Animal Adoption Store API",
           *         "version": "1.0.0"
           *       },
           *       "paths": {}
           *     }
           */
          "application/json": components["schemas"]["OpenApiDocument"];
        };
      };
      /** @description The client already has the current representation. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
  getPlatformDocument: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tags, or `*`. If one of them is the current `ETag`, the response is 304, without a body. */
        "If-None-Match"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The OpenAPI 3.1 document. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "openapi": "3.1.0",
           *       "info": {
           *         "title": "Animal Adoption Store API",
           *         "version": "1.0.0"
           *       },
           *       "paths": {}
           *     }
           */
          "application/json": components["schemas"]["OpenApiDocument"];
        };
      };
      /** @description The client already has the current representation. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Refused. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Error"];
        };
      };
    };
  };
}
