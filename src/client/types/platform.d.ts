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
     * @description Returns a page of projects in creation order: all, or those that match `q`. If more follow, the `Link` header has the address of the next page. Requires the scope `platform:read`.
     */
    get: operations["listProjects"];
    put?: never;
    /**
     * Create a project
     * @description Creates a project. Its slug must be a DNS label that no other project uses. Some labels are reserved, such as `www` and `api`. Requires the scope `platform:write`.
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
     * @description Returns one project with its default address and its CNAME target. Requires the scope `platform:read`.
     */
    get: operations["getProject"];
    put?: never;
    post?: never;
    /**
     * Delete a project
     * @description Deletes the project with its deploys and domains. From the next request on, it is no longer served. Requires the scope `platform:write`.
     */
    delete: operations["deleteProject"];
    options?: never;
    head?: never;
    /**
     * Change a project
     * @description Changes the name, the plan, or both. Absent fields keep their value. Requires the scope `platform:write`.
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
     * @description Returns a page of deploys, newest first. The service keeps the newest 20 that succeeded and the newest 20 that failed. If more follow, the `Link` header has the address of the next page. Requires the scope `platform:read`.
     */
    get: operations["listDeploys"];
    put?: never;
    /**
     * Deploy a site
     * @description Uploads a site: a `.tar.gz` or `.zip` of static files with `index.html` at its root. If the archive has a single top-level directory, the service strips it.
     *
     *     The service switches to the new site in one step, after all of it is on disk. A refused archive is recorded as `failed` with its reason, and the previous site stays served.
     *
     *     All deploys of a project share a quota. A file that several deploys share counts once. A deploy beyond the quota gets `quota_exceeded`. An upload that is slower than 32 KiB per second after 30 seconds is refused.
     *
     *     Requires the scope `platform:write`.
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
     * @description Returns one deploy. If it failed, `reason` says why. Requires the scope `platform:read`.
     */
    get: operations["getDeploy"];
    put?: never;
    post?: never;
    /**
     * Delete a deploy
     * @description Deletes a deploy. It can't be served again, and no longer counts in the project's quota. Files that no other deploy needs are removed within an hour. Requires the scope `platform:write`.
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
     * @description Rolls the site back or forward. When the response arrives, this deploy is served. Repeating the request is safe. Requires the scope `platform:write`.
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
     * @description Returns a page of domains in the order in which they were added. If more follow, the `Link` header has the address of the next page. Requires the scope `platform:read`.
     */
    get: operations["listDomains"];
    put?: never;
    /**
     * Add a domain to a project
     * @description Adds a custom domain. The project needs the plan Pro or above and a successful deploy. The response has the DNS record to create. The first domain of a project becomes its primary domain. Adding a domain again changes nothing.
     *
     *     `pair` also adds the name with or without `www`, as a redirect with a separate certificate. A name such as `docs.example.org` has no pair, and is added alone.
     *
     *     The service looks for the record every 20 seconds for two hours, then every 2 minutes, for 48 hours in all. An apex domain that has only addresses also needs the TXT record in `record.proof`.
     *
     *     Any project can add a name, even if another project holds it: the DNS decides. The project whose target the DNS shows gets the name. A project that held the name loses it, with its certificate.
     *
     *     Requires the scope `platform:write`.
     */
    post: operations["addDomain"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/domains": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the domains of all projects
     * @description Returns a page of the domains of all projects: first those that need attention, then those that wait for their records or their certificates, then the others. Each group is sorted by host name. `q`, `stage` and `project` filter the list. If more follow, the `Link` header has the address of the next page. Requires the scope `platform:read`.
     */
    get: operations["listAllDomains"];
    put?: never;
    /**
     * Add domains to projects
     * @description Adds up to 1,000 domains, each in its own atomic step, and returns a result for each. A refused domain has the same error as if it were added alone. A domain that its project already has is left unchanged, so a request that was interrupted can be repeated. The size of the body is limited by `BODY_LIMIT`, 64 KiB by default. Requires the scope `platform:write`.
     */
    post: operations["addDomains"];
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
     * @description Returns one domain with the DNS record that it needs, the findings of its last check, and every DNS response to that check. Requires the scope `platform:read`.
     */
    get: operations["getDomain"];
    put?: never;
    post?: never;
    /**
     * Remove a domain
     * @description Removes a domain. From the next request on, the service serves nothing for it. If you shared its address, set up a redirect first. Domains that redirected to it show the site themselves. Requires the scope `platform:write`.
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
     * @description Checks the DNS records of a domain now. The service asks the zone's authoritative servers and public resolvers, which can take some seconds. The findings in the response say what is wrong. Each domain can be verified 10 times a minute. Requires the scope `platform:write`.
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
     * @description Makes a domain the primary domain of its project. When it is live, redirects lead to it. The previous primary domain shows the site. Repeating the request is safe. Requires the scope `platform:write`.
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
     * List the events of a domain
     * @description Returns a page of events, newest first. A removed domain keeps its events. Only callers with the scope `audit:read` see which key or person caused an event. If more follow, the `Link` header has the address of the next page. Requires the scope `platform:read`.
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
     * @description Returns the primary domain and the redirects of a project. The response is YAML if the request prefers `application/yaml`, and JSON otherwise. Requires the scope `platform:read`.
     */
    get: operations["getDomainsConfig"];
    /**
     * Replace the configuration of a project's domains
     * @description Replaces the primary domain and the redirects of a project, all or nothing. Every redirect must lead to the primary domain, with status 301. Domains that the configuration does not name show the site. An error names everything that is wrong. Requires the scope `platform:write`.
     */
    put: operations["putDomainsConfig"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/domain-checks": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Check a name before you add it
     * @description Asks the DNS about a name, which need not belong to a project. Nothing is stored. With `target`, the verdict says whether the records are right. Without it, the verdict says whether other records are in the way. The findings say what to do, and the trace has a `dig` command for each query. Names below one registered domain can be checked 30 times a minute. Requires the scope `platform:read`.
     */
    post: operations["checkDomain"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/audit": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the audit log
     * @description Returns a page of entries, newest first: who did what, and when. An entry is stored in the transaction of the change that it records. If more follow, the `Link` header has the address of the next page. Entries older than the server's `AUDIT_DAYS` are removed. Requires the scope `audit:read`.
     */
    get: operations["listAuditEntries"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/keys/{keyId}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the history of a key
     * @description Returns who created, rotated and revoked an API key, newest first. For what the key did, filter the audit log by actor. Only callers with the scope `audit:read` see who made a change. Others see only whether it was a key or a person. If more follow, the `Link` header has the address of the next page. Entries older than the server's `AUDIT_DAYS` are removed. Requires the scope `keys:admin`.
     */
    get: operations["listKeyHistory"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/people/{personId}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the history of a person
     * @description Returns who added, invited, changed and removed a person, and when they joined, newest first. For what the person did, filter the audit log by actor. Only callers with the scope `audit:read` see who made a change. Others see only whether it was a key or a person. If more follow, the `Link` header has the address of the next page. Entries older than the server's `AUDIT_DAYS` are removed. Requires the scope `people:admin`.
     */
    get: operations["listPersonHistory"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/projects/{slug}/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the history of a project
     * @description Returns what happened to a project, its deploys and its domains, newest first. A deleted project keeps its history. Only callers with the scope `audit:read` see who made a change. Others see only whether it was a key or a person. If more follow, the `Link` header has the address of the next page. Entries older than the server's `AUDIT_DAYS` are removed. Requires the scope `platform:read`.
     */
    get: operations["listProjectHistory"];
    put?: never;
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
     * @description Returns a page of keys in ascending order of id, including revoked and expired ones. If more follow, the `Link` header has the address of the next page. Requires the scope `keys:admin`.
     */
    get: operations["listKeys"];
    put?: never;
    /**
     * Create an API key
     * @description Creates an API key. The secret is in this response and nowhere else. A key never grants more than it has: its own scopes, `expiresAt` and `rateLimit` are the limits of the new key. Requires the scope `keys:admin`.
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
     * @description Returns one API key. It can be revoked or expired. Requires the scope `keys:admin`.
     */
    get: operations["getKey"];
    put?: never;
    post?: never;
    /**
     * Revoke an API key
     * @description Revokes an API key from the next request on. This can't be undone. Revoking a key again changes nothing. If the key can create keys and, without it, no key or administrator could grant all of its scopes, set `force=true`. Requires the scope `keys:admin`.
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
     * @description Gives a key a new secret. The old secret stays valid for the grace period, so that you can move clients one by one. A key can rotate itself. It can rotate other keys if their scopes, lifetime and rate limit are within its own. Requires the scope `keys:admin`.
     */
    post: operations["rotateKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/people": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List people
     * @description Returns a page of the people who can sign in to the console, or are invited to, in ascending order of id. If more follow, the `Link` header has the address of the next page. Requires the scope `people:admin`.
     */
    get: operations["listPeople"];
    put?: never;
    /**
     * Add and invite a person
     * @description Adds a person, and returns the address to send to them. There they register a passkey, and are signed in. A caller can only give roles whose scopes it holds. Requires the scope `people:admin`.
     */
    post: operations["addPerson"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/people/{personId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fetch one person
     * @description Returns one person. A removed person is not found. Requires the scope `people:admin`.
     */
    get: operations["getPerson"];
    put?: never;
    post?: never;
    /**
     * Remove a person
     * @description Removes a person from the next request on, with their email address, passkeys and accounts. The audit log keeps their name. This can't be undone. The last administrator who can sign in stays, unless a key can manage keys. Requires the scope `people:admin`.
     */
    delete: operations["removePerson"];
    options?: never;
    head?: never;
    /**
     * Change a person's name or role
     * @description Changes the name or the role of a person, from their next request on. A caller can only give or take roles whose scopes it holds. The last administrator who can sign in stays one, unless a key can manage keys. Requires the scope `people:admin`.
     */
    patch: operations["changePerson"];
    trace?: never;
  };
  "/platform/people/{personId}/invite": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Invite a person again
     * @description Creates an invitation for a person whose first one expired, or who lost their passkey. It replaces an earlier one. Their passkeys stay valid: remove a lost one. Requires the scope `people:admin`.
     */
    post: operations["invitePerson"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/platform/people/{personId}/passkeys/{passkeyId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Remove a person's passkey
     * @description Removes a passkey, for example of a lost phone. Nobody can sign in with it any more, and the sessions that it opened end. Requires the scope `people:admin`.
     */
    delete: operations["removePasskey"];
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
     * @description Responds while the process is alive. A supervisor restarts the process if it does not respond. No API key is required.
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
     * @description Responds with 200 if the service can work, for load balancers. The database is writable, its migrations are current, the disk has room, file descriptors are free, and HTTP/2 responses are below their total limit. `warnings` counts problems that need attention soon, such as certificates that are about to expire.
     *
     *     No API key is required. A key with the scope `metrics:read` also gets the messages of the warnings, and the reason why the service is not ready.
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
     * @description Returns metrics for Prometheus: requests by route, deprecated calls by key, and the resources of the process. Requires the scope `metrics:read`.
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
     * Get the OpenAPI document of the store
     * @description Returns the OpenAPI document with the addresses of this server. No API key is required.
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
     * Get the OpenAPI document of the platform
     * @description Returns the OpenAPI document with the addresses of this server. No API key is required.
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
    /** @description Projects in the order of their creation. */
    Projects: components["schemas"]["Project"][];
    /** @description A documentation project. */
    Project: {
      /** @description The project's DNS label in its default address. */
      slug: string;
      /** @description The name of the project. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
      plan: components["schemas"]["Plan"];
      /** @description The value of the CNAME record of a custom domain. Each project has its own. */
      target: string;
      /** @description The default address of the published project. */
      address: string;
      /**
       * Format: int64
       * @description Id of the deploy that is served. Absent before the first successful deploy.
       */
      activeDeploy?: number;
      /**
       * Format: date-time
       * @description When the project was created.
       */
      createdAt: string;
    };
    /**
     * @description The plan of the project. Custom domains require `pro` or above.
     * @enum {string}
     */
    Plan: "free" | "pro" | "enterprise";
    /** @description A project to create. The default plan is `free`. */
    NewProject: {
      /** @description The project's DNS label in its default address. */
      slug: string;
      /** @description The name of the project. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
      plan?: components["schemas"]["Plan"];
    };
    /** @description The fields to change. Absent fields keep their value. */
    ProjectChange: {
      /** @description The name of the project. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name?: string;
      plan?: components["schemas"]["Plan"];
    };
    /** @description Deploys, newest first. */
    Deploys: components["schemas"]["Deploy"][];
    /** @description An uploaded version of a project's site. */
    Deploy: {
      /**
       * Format: int64
       * @description Unique identifier, assigned by the service.
       */
      id: number;
      /**
       * @description `succeeded`: the site can be served. `failed`: the archive was refused, and the previous site stays served.
       * @enum {string}
       */
      status: "succeeded" | "failed";
      /** @description Why the deploy failed. */
      reason?: string;
      /** @description The address that always shows this deploy. Absent if the deploy failed, if the slug is too long, or if the server has neither a certificate nor an HTTP port for it. */
      preview?: string;
      /** @description `true` for the deploy that is served. */
      active: boolean;
      /** @description Number of files. */
      files: number;
      /** @description Size of all files after unpacking, in bytes. */
      bytes: number;
      /**
       * Format: int64
       * @description Id of the API key that uploaded the deploy. Absent if the service made the deploy.
       */
      key?: number;
      /**
       * Format: date-time
       * @description When the deploy was stored.
       */
      createdAt: string;
    };
    /** @description A page of domains. */
    Domains: components["schemas"]["Domain"][];
    /** @description A custom domain, and what it needs to become live. */
    Domain: {
      /** @description The domain, in Punycode. */
      hostname: string;
      /** @description The domain in Unicode, for display. */
      unicode: string;
      /** @description The slug of its project. */
      project: string;
      /** @description The name that visitors also type, with or without `www`. Absent if the domain is neither an apex nor its `www`. */
      pair?: string;
      /**
       * @description `awaiting_dns`: the DNS record does not exist yet. `dns_conflict`: another record is in its place. `verified`, `issuing`, `issue_failed`: the domain waits for its certificate. `live`: the domain is served. `suspended`: the plan is below Pro.
       * @enum {string}
       */
      stage: "awaiting_dns" | "dns_conflict" | "verified" | "issuing" | "issue_failed" | "live" | "suspended";
      suspension?: components["schemas"]["Suspension"];
      /**
       * @description `redirect`: while the primary domain is live, visitors are redirected to it with status 301. Other domains show the site.
       * @enum {string}
       */
      role: "primary" | "served" | "redirect";
      record: components["schemas"]["DomainRecord"];
      guide?: components["schemas"]["ProviderGuide"];
      challengeRecord?: components["schemas"]["ChallengeRecord"];
      ownershipRecord?: components["schemas"]["ProofRecord"];
      domainConnect?: components["schemas"]["DomainConnect"];
      /** @description The findings of the last check. Empty if everything is right. */
      findings: components["schemas"]["DomainFinding"][];
      /**
       * Format: date-time
       * @description When the domain was added.
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the DNS records were last checked.
       */
      checkedAt?: string;
      /**
       * Format: date-time
       * @description When the service checks the DNS records next. If absent, it checks them only on request.
       */
      nextCheckAt?: string;
      /**
       * Format: date-time
       * @description Since when a live domain no longer verifies. After 7 days, it is no longer served.
       */
      failingSince?: string;
      /**
       * Format: date-time
       * @description When the records were first right. Absent while the old host still serves a domain that is only proven.
       */
      verifiedAt?: string;
      /**
       * Format: date-time
       * @description Since when the domain is served.
       */
      liveAt?: string;
      certificate?: components["schemas"]["DomainCertificate"];
      trace?: components["schemas"]["DomainTrace"];
    };
    /** @description Why a domain is suspended. */
    Suspension: {
      /** @enum {string} */
      reason: "plan_below_pro";
      /** @description The reason and the remedy. */
      message: string;
    };
    /** @description The record to create at the DNS provider. An apex domain needs `proof` too. */
    DomainRecord: {
      /**
       * @description The type of the record: `ALIAS` for an apex domain, `CNAME` for a subdomain. Some DNS providers call ALIAS `ANAME`.
       * @enum {string}
       */
      type: "CNAME" | "ALIAS";
      /** @description The name of the record, as DNS providers ask for it: `@` for an apex domain. */
      name: string;
      /** @description The value of the record: exactly the project's target. */
      value: string;
      /** @description The TTL of the record, in seconds. */
      ttl: number;
      /** @description A hint about the record. */
      note?: string;
      /** @description The record as a line of a zone file. Absent for an ALIAS. */
      bind?: string;
      /** @description The record as a block of a Terraform configuration. After a check of a zone at Cloudflare or Route 53, the block is for that provider. */
      terraform: string;
      /** @description Records to create at DNS providers that have neither ALIAS nor ANAME. Absent if the addresses are not known. If they change, the finding `addresses_changed` names the new ones. */
      addresses?: components["schemas"]["AddressRecord"][];
      proof?: components["schemas"]["ProofRecord"];
    };
    /** @description An address of this service, for DNS providers without ALIAS. */
    AddressRecord: {
      /** @enum {string} */
      type: "A" | "AAAA";
      /** @description The name of the record: `@`. */
      name: string;
      /** @description An address of this service. */
      value: string;
      /** @description The TTL of the record, in seconds. */
      ttl: number;
      /** @description The record as a line of a zone file. */
      bind: string;
    };
    /** @description A TXT record that proves which project a domain is for. */
    ProofRecord: {
      /** @enum {string} */
      type: "TXT";
      /** @description The name of the record, as DNS providers ask for it. */
      name: string;
      /** @description The value of the record: exactly the project's target. */
      value: string;
      /** @description The TTL of the record, in seconds. */
      ttl: number;
      /** @description The record as a line of a zone file. */
      bind: string;
      /** @description The record as a block of a Terraform configuration. */
      terraform: string;
      /** @description A hint about the record. */
      note?: string;
    };
    /** @description What to do at the DNS provider of the zone, if the service knows the provider: the steps that resolve the findings, or else create the records. */
    ProviderGuide: {
      /** @description The DNS provider that holds the zone. */
      provider: string;
      /**
       * @description What this provider calls a record that gives an apex domain the addresses of the target. Absent if it has none.
       * @enum {string}
       */
      apexType?: "CNAME" | "ALIAS" | "ANAME";
      /** @description The steps, in order. */
      steps: string[];
    };
    /** @description The record with which this service proves control of the domain to a CA. A wildcard requires it. With other domains, it lets you move a live site without downtime: it proves the domain, and the server orders the certificate. Change the other records when the domain is `live`. */
    ChallengeRecord: {
      /** @enum {string} */
      type: "CNAME";
      /** @description The name of the record, as DNS providers ask for it. */
      name: string;
      /** @description The value of the record: exactly this name. */
      value: string;
      /** @description The TTL of the record, in seconds. */
      ttl: number;
      /** @description True for a wildcard: without the record, it cannot become live. */
      required: boolean;
      /** @description What the record is for. */
      note: string;
      /** @description The record as a line of a zone file. */
      bind: string;
      /** @description The record as a block of a Terraform configuration. */
      terraform: string;
    };
    /** @description A link with which the DNS provider creates the records itself (Domain Connect). Present only if the domain needs records, and the provider supports the template of this service. */
    DomainConnect: {
      /** @description The DNS provider, as it calls itself. */
      provider: string;
      /** @description The page of the DNS provider where the holder of the domain signs in and agrees to the records. */
      url: string;
    };
    /** @description What a check found, and which record to change. */
    DomainFinding: {
      /**
       * @description `no_record`: The record does not exist. `wrong_target`: The record has another value. It must match exactly. `doubled_name`: The name of the record contains the zone twice: the holder entered the whole name, and the DNS provider added the zone. `conflicting_record`: Another record has the name that the CNAME needs. DNS providers refuse a CNAME there. `delegated_away`: NS records delegate the name, or a parent of it, to other name servers, which do not have the record. `https_record`: An HTTPS record sends browsers to another host, although the addresses are right. `apex_cname`: The apex of a zone has a CNAME record, which hides its MX and TXT records. `caa_forbids`: CAA records forbid the CA from issuing a certificate for the name, or forbid the account or the methods of this service. `caa_unanswered`: CAA queries to the name servers of the zone fail. CAs must then refuse the certificate (RFC 8659). `not_propagated`: The domain's own name servers have the right record, but a resolver still has the old one. This does not delay the domain. `ownership_unproven`: An apex has the right addresses, but all projects share them. It also needs a TXT record. `unreachable`: A name server gave no usable response. This never counts against the domain. If no server of the zone responds, the DNS provider must act. If only a resolver of this service fails, the operator must act. If one of several servers fails for a day (`since`), the DNS provider must act. `proxied`: A proxy hides the record behind its own addresses. While it is on, renewals of the certificate can fail. `wildcard_record`: A wildcard record answers for the name, with another value. `stray_address`: Some address records are right, but others point elsewhere, so some visitors do not arrive. `addresses_changed`: The operator has changed the addresses of the service, and the records still have the old ones. `mixed_answers`: The name servers of the zone have different records. `lame_delegation`: The domain is delegated to a name server that does not serve its zone. `dnssec_failure`: Resolvers reject the records because DNSSEC validation fails. `registration_expired`: The registered domain does not exist, or its registration has expired. `registration_on_hold`: The registrar has put the domain on hold until its holder confirms the contact details. `parked`: The domain uses the name servers of a parking page. `long_ttl`: The record has a TTL of a day or more, so changes take long to reach everybody. `not_moved`: The DNS proves that the domain belongs to the project, but its records do not point here yet. `platform_unready`: This service is not ready for custom domains. The domain's records are not the cause. `domain_taken`: The TXT record names two projects, and the other one holds the domain. `domain_lost`: The DNS now names another project, which holds the domain.
       * @enum {string}
       */
      kind:
        | "no_record"
        | "wrong_target"
        | "doubled_name"
        | "conflicting_record"
        | "delegated_away"
        | "https_record"
        | "apex_cname"
        | "caa_forbids"
        | "caa_unanswered"
        | "not_propagated"
        | "ownership_unproven"
        | "unreachable"
        | "proxied"
        | "wildcard_record"
        | "stray_address"
        | "addresses_changed"
        | "mixed_answers"
        | "lame_delegation"
        | "dnssec_failure"
        | "registration_expired"
        | "registration_on_hold"
        | "parked"
        | "long_ttl"
        | "not_moved"
        | "platform_unready"
        | "domain_taken"
        | "domain_lost";
      /**
       * @description Who must act. `holder`: the holder of the domain, in its DNS records. `dns_provider`: the DNS provider, whose name servers hold the zone. `proxy`: the holder of the domain, in the settings of the proxy. `registrar`: the holder of the domain, at its registrar. `operator`: the operator of this service. `nobody`: nobody; wait, then check again.
       * @enum {string}
       */
      responsible?: "holder" | "dns_provider" | "proxy" | "registrar" | "operator" | "nobody";
      /** @description What is wrong, and what to do. */
      message: string;
      /** @description The name of the record. */
      name: string;
      /** @description The type of the record. */
      type?: string;
      /** @description The values that the DNS has. */
      found?: string[];
      /** @description The values that the DNS must have. */
      expected?: string[];
      /**
       * @description The parameter of the CAA records that forbids the certificate. `accounturi`: their accounturi does not name this service's account with the CA. `validationmethods`: their validationmethods do not name a method that this service can use.
       * @enum {string}
       */
      parameter?: "accounturi" | "validationmethods";
      /** @description The tag of the CAA record to add, if it is not `issue`: a wildcard can need another. */
      tag?: string;
      challenge?: components["schemas"]["FindingChallenge"];
      /** @description A wildcard record that does not answer for the name. */
      wildcard?: string;
      /** @description The name that has NS records, or a parent of it. */
      zone?: string;
      /** @description The company that runs the proxy or the name servers. */
      provider?: string;
      /** @description Whether requests through the proxy reach this service. Absent if not tried. */
      reachesService?: boolean;
      /** @description The DNS server that sent the response, or did not respond. */
      server?: string;
      /** @description How long caches can keep the records, in seconds. */
      seconds?: number;
      /**
       * Format: date-time
       * @description Since when no check has had a usable response from the server.
       */
      since?: string;
      /** @description Why a server gave no useful response, or why the service is not ready. */
      reason?: string;
    };
    /** @description The CNAME record with which this service can get the certificate: by the method that CAA records allow, or before the domain moves. */
    FindingChallenge: {
      /** @description Its name. */
      name: string;
      /** @description Its value. */
      value: string;
    };
    /** @description The certificate of a domain, and its progress. */
    DomainCertificate: {
      /**
       * @description `wanted`: not ordered yet. `ordered`: the CA is working on it. `failing`: the last attempt failed. `ssl_overdue`: there is no certificate after 30 minutes, and no limit delays it. `in_use`: valid and served, also during a renewal; a domain that is not live yet waits only for its records. `expired`: no longer valid.
       * @enum {string}
       */
      status: "wanted" | "ordered" | "failing" | "ssl_overdue" | "in_use" | "expired";
      /**
       * Format: date-time
       * @description When the certificate becomes valid.
       */
      notBefore?: string;
      /**
       * Format: date-time
       * @description When the certificate expires.
       */
      notAfter?: string;
      /** @description The ACME directory of the CA that issued the certificate, or `imported`. */
      authority?: string;
      problem?: components["schemas"]["CertificateProblem"];
      /** @description Number of failed attempts in a row. `0` while the CA decides, or a limit postpones the order. */
      failures?: number;
      /**
       * Format: date-time
       * @description When the service tries again, or renews the certificate.
       */
      nextAttemptAt?: string;
      queue?: components["schemas"]["CertificateQueue"];
    };
    /** @description Why the last attempt failed. */
    CertificateProblem: {
      /** @description The kind of problem: an error type of RFC 8555, or one of this service. */
      type: string;
      /** @description The CA's explanation, in its own words. */
      detail: string;
      status?: number;
      subproblems: components["schemas"]["CertificateSubproblem"][];
      cause?: components["schemas"]["CertificateCause"];
    };
    /** @description One of several reasons why the last attempt failed. */
    CertificateSubproblem: {
      /** @description The kind of problem. */
      type: string;
      /** @description The CA's explanation. */
      detail: string;
      /** @description The host name with the problem. */
      identifier?: string;
    };
    /** @description A CA's last refusal. Present if `type` is `budget` or `rateLimited`, and a CA refused the certificate before. */
    CertificateCause: {
      /** @description The kind of problem: an error type of RFC 8555, or one of this service. */
      type: string;
      /** @description The CA's explanation, in its own words. */
      detail: string;
      status?: number;
      subproblems: components["schemas"]["CertificateSubproblem"][];
    };
    /** @description The certificate waits because the CAs' limits allow no order now. Projects take turns. */
    CertificateQueue: {
      /** @description Its place in the queue. */
      position: number;
      /**
       * Format: date-time
       * @description When its order can probably be placed.
       */
      estimatedAt: string;
    };
    /** @description Every DNS query of the last check, with its response. */
    DomainTrace: {
      /** @description The value that the record must have. In a check without a target, the name itself. */
      target: string;
      /** @description The zone of the name, if the resolvers know it. */
      zone?: string;
      /** @description The zone's authoritative servers that were asked. */
      nameServers: string[];
      /** @description The name, followed by the value of each CNAME record. */
      chain: string[];
      /** @description The addresses of the target. */
      targetAddresses: string[];
      /** @description Addresses that the target had at earlier checks. */
      formerAddresses?: string[];
      /** @description The CAA records that apply. */
      caa: string[];
      /** @description The queries in the order of their responses, at most 200. */
      questions: components["schemas"]["DomainQuestion"][];
    };
    /** @description A DNS query of a check, and its response. */
    DomainQuestion: {
      /** @description The DNS server. */
      server: string;
      /** @description The name in the query. */
      name: string;
      /** @description The record type in the query. */
      type: string;
      /** @description `true` if the query asked for recursion. */
      recursive: boolean;
      /** @description `true` if the resolver was told not to check DNSSEC. */
      checkingDisabled?: boolean;
      /** @enum {string} */
      transport: "udp" | "tcp";
      /** @description The response code, or why there is no response: `timeout`, `refused`, ... */
      outcome: string;
      /** @description Details about a missing response. */
      detail?: string;
      /** @description The records as lines of a zone file, at most 20. */
      records: string[];
      /** @description How long the query took, in milliseconds. */
      milliseconds: number;
      /** @description The command that repeats the query. Absent if no query was sent, or if the name has characters that are special to a shell. */
      command?: string;
    };
    /** @description A custom domain to add. */
    NewDomain: {
      /** @description The domain or subdomain, in Unicode or in Punycode. A wildcard such as `*.example.org` serves every name directly below the domain. IP addresses, single labels and public suffixes are refused. */
      hostname: string;
      /** @description `true` also adds the name with `www` in front of a domain, or the domain of a name with `www`. It redirects to the primary domain. Ignored if the domain has no such name. */
      pair?: boolean;
    };
    /** @description Domains to add. As `text/csv`, the columns are `domain`, `project` and `role`. An optional header line names them, in any order. */
    NewDomains: components["schemas"]["NewDomainRow"][];
    /** @description A domain to add to a project. */
    NewDomainRow: {
      /** @description The domain or subdomain, in Unicode or in Punycode. */
      hostname: string;
      /** @description The slug of the project. The default is `?project=`. */
      project?: string;
      /** @description `primary`: the domain replaces the primary domain of its project. `redirect`: it redirects to the primary domain, if the project has one. `served`, the default: it shows the site. */
      role?: string;
    };
    /** @description A result for each domain, in the same order. */
    DomainAdditions: components["schemas"]["DomainAddition"][];
    /** @description `domain`, or `error` if it was refused. */
    DomainAddition: {
      /** @description The domain, as in the request. */
      hostname: string;
      /** @description The slug of the project. */
      project?: string;
      /**
       * @description `present`: the project already has the domain. It is left unchanged.
       * @enum {string}
       */
      result: "added" | "present" | "refused";
      domain?: components["schemas"]["Domain"];
      error?: components["schemas"]["Error"];
    };
    /** @description The events of a domain, newest first. */
    DomainHistory: components["schemas"]["DomainEvent"][];
    /** @description An event in the history of a domain. */
    DomainEvent: {
      /**
       * Format: date-time
       * @description When the event happened.
       */
      at: string;
      /**
       * @description Who caused the event. `key`: an API key. `person`: a person at the console. `operator`: the command line, or a user of its sign-in link. `service`: the service itself.
       * @enum {string}
       */
      actor: "key" | "person" | "operator" | "service";
      /**
       * Format: int64
       * @description Id of the API key. Only for callers with the scope `audit:read`.
       */
      key?: number;
      /**
       * Format: int64
       * @description Id of the person. Only for callers with the scope `audit:read`.
       */
      person?: number;
      /** @description Name of the key or person at that time. Only for callers with the scope `audit:read`. */
      name?: string;
      /**
       * @description What happened. A check with the same result as the previous one has no event.
       * @enum {string}
       */
      event:
        | "added"
        | "records_right"
        | "ownership_proven"
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
       * @description The stage of the domain after the event.
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
      /** @description The findings of a check. */
      findings: components["schemas"]["DomainFinding"][];
    };
    /** @description Which domain is primary, and which domains redirect to it. */
    DomainsConfig: {
      domains: components["schemas"]["DomainRoles"];
    };
    /** @description The roles of the domains. */
    DomainRoles: {
      /** @description The primary domain. Absent if no domain is. */
      primary?: string;
      /** @description Domains that redirect to the primary domain. Path and query are kept. */
      redirects: components["schemas"]["Redirect"][];
    };
    /** @description A domain that redirects to the primary domain. */
    Redirect: {
      /** @description A domain of the project. */
      from: string;
      /** @description The primary domain. */
      to: string;
      status: number;
    };
    /** @description Which domain is primary, and which domains redirect to it. */
    NewDomainsConfig: {
      domains: components["schemas"]["NewDomainRoles"];
    };
    /** @description The new roles of the domains. */
    NewDomainRoles: {
      /** @description A domain of the project. */
      primary: string;
      /** @description Domains that redirect to the primary domain. Path and query are kept. */
      redirects?: components["schemas"]["NewRedirect"][];
    };
    /** @description A domain that redirects to the primary domain. */
    NewRedirect: {
      /** @description A domain of the project. */
      from: string;
      /** @description The primary domain. */
      to: string;
      status: number;
    };
    /** @description A name to check. */
    NewDomainCheck: {
      /** @description The domain or subdomain, in Unicode or in Punycode. The rules are those of custom domains, but wildcards are refused. */
      hostname: string;
      /** @description The name that the record must point to: the target of a project. */
      target?: string;
    };
    /** @description What the DNS says about a name. Nothing is stored. */
    DomainCheck: {
      /** @description The domain, in Punycode. */
      hostname: string;
      /** @description The domain in Unicode, for display. */
      unicode: string;
      /**
       * @description `right`: Every server that responded has the right records. `missing`: The record does not exist yet. `wrong`: You must change or delete a record. `spreading`: Some name servers have the right records, and others still have old ones. `blocked`: No CA can issue a certificate for the name. `free`: No other record is in the way. Only in a check without a target. `in_use`: The name has records that you must change or delete. Only in a check without a target. `points_here`: The name already points to a target of this service. Only in a check without a target. `unregistered`: The registered domain does not exist in the DNS. `unknown`: Too few servers responded for a verdict.
       * @enum {string}
       */
      verdict:
        | "right"
        | "missing"
        | "wrong"
        | "spreading"
        | "blocked"
        | "free"
        | "in_use"
        | "points_here"
        | "unregistered"
        | "unknown";
      /** @description The verdict in one sentence, and what to do. */
      message: string;
      record?: components["schemas"]["DomainRecord"];
      guide?: components["schemas"]["ProviderGuide"];
      domainConnect?: components["schemas"]["DomainConnect"];
      /** @description The findings of the last check. Empty if everything is right. */
      findings: components["schemas"]["DomainFinding"][];
      trace: components["schemas"]["DomainTrace"];
    };
    /** @description Entries of the audit log, newest first. */
    AuditEntries: components["schemas"]["AuditEntry"][];
    /** @description Who did what, and when. */
    AuditEntry: {
      /**
       * Format: int64
       * @description Unique identifier. Newer entries have higher ids.
       */
      id: number;
      /**
       * Format: date-time
       * @description When it happened.
       */
      at: string;
      actor: components["schemas"]["AuditActor"];
      /**
       * @description What was done. `pet.added`: An animal was added. `pet.changed`: An animal's name, category or status was changed. `pet.deleted`: An animal was deleted. `category.added`: A category was added. `category.changed`: A category was renamed. `category.deleted`: A category was deleted. `order.placed`: An adoption was started: its animal became `pending`. `order.approved`: An adoption was approved. `order.completed`: An adoption was completed: its animal became `sold`. `order.cancelled`: An adoption was cancelled: its animal became `available` again. `order.erased`: The adopter and the note of an adoption were erased. `adopter.read`: A key or a person read adoptions with their adopters, over the API or at the console. One entry covers all reads of up to an hour, and counts the adoptions in their responses. `import.started`: The command `import` began to add animals from a file. `import.finished`: An import ended. Its animals have no separate entries. `export.animals`: The command `export` wrote animals to a file or to standard output. `export.adopters`: The command `orders list` printed adoptions with their adopters. `backup.taken`: The command `backup` or the server's schedule took a backup. `backup.restored`: The command `restore` replaced the database with a backup. `key.created`: An API key was created. `key.rotated`: An API key got a new secret. `key.revoked`: An API key was revoked. `person.added`: A person was added and invited. `person.invited`: A person was invited again. `person.joined`: A person accepted their invitation, or signed in with an account for the first time. `person.changed`: A person's name or role was changed. `person.passkey_added`: A person added another passkey. `person.passkey_removed`: A passkey of a person was removed. `person.removed`: A person was removed. `session.opened`: A person, an API key or the operator signed in to the console. `session.closed`: A session of the console was ended: by signing out, from another session of the same user, or by a new session beyond the limit. `session.refused`: Attempts to sign in to the console failed. One entry covers all attempts of up to ten minutes, and names up to 20 clients with the number of their attempts. `project.created`: A project was created. `project.changed`: A project's name or plan was changed. `project.deleted`: A project was deleted, with its deploys and domains. `deploy.published`: A deploy was uploaded and is served. `deploy.activated`: An earlier deploy is served again. `deploy.deleted`: A deploy was deleted. `domain.added`: A custom domain was added. `domain.changed`: A custom domain became the primary one, serves the site, or redirects to the primary one. `domain.checked`: A requested check changed the stage of a custom domain. `domain.noticed`: The service noticed that a problem with a host name began or ended. `domain_failing`: a live domain no longer verifies. `renewal_failed`: a certificate could not be renewed. `orders_failed`: three orders in a row failed. `certificate_overdue`: a host name has no certificate after 30 minutes. `domain.removed`: A custom domain was removed.
       * @enum {string}
       */
      action:
        | "pet.added"
        | "pet.changed"
        | "pet.deleted"
        | "category.added"
        | "category.changed"
        | "category.deleted"
        | "order.placed"
        | "order.approved"
        | "order.completed"
        | "order.cancelled"
        | "order.erased"
        | "adopter.read"
        | "import.started"
        | "import.finished"
        | "export.animals"
        | "export.adopters"
        | "backup.taken"
        | "backup.restored"
        | "key.created"
        | "key.rotated"
        | "key.revoked"
        | "person.added"
        | "person.invited"
        | "person.joined"
        | "person.changed"
        | "person.passkey_added"
        | "person.passkey_removed"
        | "person.removed"
        | "session.opened"
        | "session.closed"
        | "session.refused"
        | "project.created"
        | "project.changed"
        | "project.deleted"
        | "deploy.published"
        | "deploy.activated"
        | "deploy.deleted"
        | "domain.added"
        | "domain.changed"
        | "domain.checked"
        | "domain.noticed"
        | "domain.removed";
      resource: components["schemas"]["AuditResource"];
      /** @description The changed fields; for most actions none. */
      changes: components["schemas"]["AuditChange"][];
    };
    /** @description Who did it. */
    AuditActor: {
      /**
       * @description `key`: an API key. `person`: a person at the console. `operator`: the command line, or a user of its sign-in link. `service`: the service itself.
       * @enum {string}
       */
      kind: "key" | "person" | "operator" | "service";
      /**
       * Format: int64
       * @description Id of the API key or person. In histories, only for callers with the scope `audit:read`.
       */
      id?: number;
      /** @description Name of the API key or person at that time. In histories, only for callers with the scope `audit:read`. */
      name?: string;
    };
    /** @description What it was done to. */
    AuditResource: {
      /**
       * @description What kind of thing it is.
       * @enum {string}
       */
      kind:
        | "pet"
        | "category"
        | "order"
        | "adopter"
        | "import"
        | "export"
        | "backup"
        | "key"
        | "person"
        | "session"
        | "project"
        | "deploy"
        | "domain";
      /** @description As in the path of the resource: an id, a slug or a host name. */
      id: string;
      /** @description Its name at that time; for an order, the name of its animal. */
      name?: string;
      parent?: components["schemas"]["AuditParent"];
    };
    /** @description What it belongs to: the animal of an order, or the project of a deploy or domain. */
    AuditParent: {
      /**
       * @description What kind of thing it is.
       * @enum {string}
       */
      kind:
        | "pet"
        | "category"
        | "order"
        | "adopter"
        | "import"
        | "export"
        | "backup"
        | "key"
        | "person"
        | "session"
        | "project"
        | "deploy"
        | "domain";
      /** @description As in the path of the resource: an id, a slug or a host name. */
      id: string;
    };
    /** @description A changed field. */
    AuditChange: {
      /** @description The field. */
      field: string;
      /** @description Its value before, as text. Absent if it had none. */
      from?: string;
      /** @description Its value after, as text. Absent if it has none. */
      to?: string;
    };
    /** @description API keys in ascending order of id. */
    Keys: components["schemas"]["Key"][];
    /** @description An API key, without its secret. */
    Key: {
      /**
       * Format: int64
       * @description Unique identifier of the key. It is not secret.
       */
      id: number;
      /** @description What the key is for, in your own words. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
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
      /** @description The first characters of the newest secret. They help to recognise the key. */
      prefix: string;
      /**
       * Format: date-time
       * @description When the key was created.
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the key was last used, accurate to a few seconds.
       */
      lastUsedAt?: string;
      /**
       * Format: date-time
       * @description When the key was revoked.
       */
      revokedAt?: string;
      /** @description Number of calls to deprecated operations with this key since the server started. */
      deprecatedCalls?: number;
    };
    /**
     * @description A permission of a key. `*`: everything, including scopes of later versions; `pets:read`: read animals and categories; `pets:write`: add, change and delete animals and categories; `orders:read`: read orders; `orders:write`: place and change orders; `platform:read`: read projects, deploys and domains; `platform:write`: change projects, deploys and domains; `metrics:read`: read /metrics; `audit:read`: read the audit log: who changed what; `keys:admin`: create, list, rotate and revoke API keys; `people:admin`: add, list, change and remove people who sign in to the console.
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
      | "audit:read"
      | "keys:admin"
      | "people:admin";
    /** @description A key to create. */
    NewKey: {
      /** @description What the key is for, in your own words. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
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
    /** @description An API key with its secret. */
    MintedKey: {
      /**
       * Format: int64
       * @description Unique identifier of the key. It is not secret.
       */
      id: number;
      /** @description What the key is for, in your own words. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
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
      /** @description The first characters of the newest secret. They help to recognise the key. */
      prefix: string;
      /**
       * Format: date-time
       * @description When the key was created.
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the key was last used, accurate to a few seconds.
       */
      lastUsedAt?: string;
      /**
       * Format: date-time
       * @description When the key was revoked.
       */
      revokedAt?: string;
      /** @description The API key itself, for the header `Authorization: Bearer`. It is shown only once, and is not stored. */
      secret: string;
    };
    /** @description How to rotate a key. */
    Rotation: {
      /** @description How long the old secret stays valid, in seconds. The default is 86400, one day. */
      graceSeconds?: number;
    };
    /** @description People in ascending order of id. */
    People: components["schemas"]["Person"][];
    /** @description Somebody who signs in to the console. */
    Person: {
      /**
       * Format: int64
       * @description Unique identifier of the person.
       */
      id: number;
      /** @description The person's name, as colleagues see it. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
      /** @description The person's email address. No two people have the same, whatever the case of its letters. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      email: string;
      role: components["schemas"]["Role"];
      /**
       * Format: date-time
       * @description When the person was added.
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the person last used the console, accurate to a few seconds.
       */
      lastSeenAt?: string;
      /**
       * Format: date-time
       * @description When the invitation that the person has not accepted yet expires, or expired.
       */
      invitedUntil?: string;
      /** @description The passkeys that the person signs in with, oldest first. */
      passkeys: components["schemas"]["Passkey"][];
      /** @description The OpenID Connect issuers that the person has signed in with. */
      signsInWith: string[];
    };
    /**
     * @description What the person may do, as a set of scopes. `volunteer`: `pets:read`, `orders:read`, `orders:write`; `staff`: `pets:read`, `pets:write`, `orders:read`, `orders:write`; `administrator`: `*`.
     * @enum {string}
     */
    Role: "volunteer" | "staff" | "administrator";
    /** @description A WebAuthn credential that a person signs in with. */
    Passkey: {
      /**
       * Format: int64
       * @description Unique identifier of the passkey.
       */
      id: number;
      /** @description What the person calls the passkey. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
      /**
       * Format: date-time
       * @description When the passkey was registered.
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When somebody last signed in with it.
       */
      lastUsedAt?: string;
    };
    /** @description A person to add and invite. */
    NewPerson: {
      /** @description The person's name, as colleagues see it. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
      /** @description The person's email address. No two people have the same, whatever the case of its letters. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      email: string;
      role: components["schemas"]["Role"];
    };
    /** @description A person with the invitation to send to them. */
    InvitedPerson: {
      /**
       * Format: int64
       * @description Unique identifier of the person.
       */
      id: number;
      /** @description The person's name, as colleagues see it. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name: string;
      /** @description The person's email address. No two people have the same, whatever the case of its letters. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      email: string;
      role: components["schemas"]["Role"];
      /**
       * Format: date-time
       * @description When the person was added.
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the person last used the console, accurate to a few seconds.
       */
      lastSeenAt?: string;
      /**
       * Format: date-time
       * @description When the invitation that the person has not accepted yet expires, or expired.
       */
      invitedUntil?: string;
      /** @description The passkeys that the person signs in with, oldest first. */
      passkeys: components["schemas"]["Passkey"][];
      /** @description The OpenID Connect issuers that the person has signed in with. */
      signsInWith: string[];
      invitation: components["schemas"]["Invitation"];
    };
    /** @description An invitation to sign in for the first time. */
    Invitation: {
      /** @description The address to send to the person. It works once, and is shown only here: the service stores no part of it that could be used. */
      link: string;
      /**
       * Format: date-time
       * @description When the invitation expires: 7 days after it was made.
       */
      expiresAt: string;
    };
    /** @description The fields to change. Absent fields keep their value. */
    PersonChange: {
      /** @description The person's name, as colleagues see it. Control, invisible, private-use and unassigned characters are refused (Unicode UTS 39). */
      name?: string;
      role?: components["schemas"]["Role"];
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
      /** @description Problems that need attention soon. Absent if there are none. */
      warnings?: components["schemas"]["ReadinessWarning"][];
    };
    /** @description A problem that needs attention soon. */
    ReadinessWarning: {
      /** @description The kind of warning. */
      code: string;
      /** @description Number of affected things. */
      count: number;
      /** @description What to do. Only keys with the scope `metrics:read` see it. */
      message?: string;
    };
    /** @description An OpenAPI document. */
    OpenApiDocument: {
      /** @description Version of OpenAPI. */
      openapi: string;
      /** @description Title, version and description of the API. */
      info: {
        [key: string]: unknown;
      };
      /** @description The operations by path. */
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
        /** @description Part of the slug or of the name. The case of the letters A to Z is ignored. */
        q?: string;
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
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
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
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
           *         "preview": "http://003--docs.example.org/",
           *         "active": true,
           *         "files": 42,
           *         "bytes": 1234567,
           *         "key": 1,
           *         "createdAt": "2026-11-20T09:30:00.000Z"
           *       },
           *       {
           *         "id": 2,
           *         "status": "failed",
           *         "reason": "\"../x\": leads out of the site",
           *         "active": false,
           *         "files": 0,
           *         "bytes": 0,
           *         "key": 1,
           *         "createdAt": "2026-11-20T09:20:00.000Z"
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
      /** @description The site is deployed and served. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "status": "succeeded",
           *       "preview": "http://003--docs.example.org/",
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
           *       "preview": "http://003--docs.example.org/",
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
      /** @description The site is deployed and served. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "status": "succeeded",
           *       "preview": "http://003--docs.example.org/",
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
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
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
           *         "project": "docs",
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
      /** @description The project already has this domain, and its pair if it was asked for. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hostname": "docs.example.org",
           *       "unicode": "docs.example.org",
           *       "project": "docs",
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
      /** @description Domain added, or its pair. It waits for its DNS record. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hostname": "docs.example.org",
           *       "unicode": "docs.example.org",
           *       "project": "docs",
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
  listAllDomains: {
    parameters: {
      query?: {
        /** @description Part of the host name, in Unicode or in Punycode. Case is ignored. */
        q?: string;
        /** @description Filter by the slug of the project. */
        project?: string;
        /** @description Filter by stage: one stage, or several separated by commas. */
        stage?: string;
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
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
           *         "project": "docs",
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
  addDomains: {
    parameters: {
      query?: {
        /** @description The project of rows without one. */
        project?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example [
         *       {
         *         "hostname": "docs.example.org",
         *         "project": "docs"
         *       }
         *     ]
         */
        "application/json": components["schemas"]["NewDomains"];
        "text/csv": string;
      };
    };
    responses: {
      /** @description The results, in the order of the domains. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "hostname": "docs.example.org",
           *         "project": "docs",
           *         "result": "added",
           *         "domain": {
           *           "hostname": "docs.example.org",
           *           "unicode": "docs.example.org",
           *           "project": "docs",
           *           "stage": "awaiting_dns",
           *           "role": "primary",
           *           "record": {
           *             "type": "CNAME",
           *             "name": "docs",
           *             "value": "k3vq7zj5n2xw4ryt6mbd.cname.example.net",
           *             "ttl": 3600,
           *             "bind": "docs.example.org. 3600 IN CNAME k3vq7zj5n2xw4ryt6mbd.cname.example.net.",
           *             "terraform": "resource \"dns_cname_record\" \"docs_example_org\" {\n  zone  = \"example.org.\"\n  name  = \"docs\"\n  cname = \"k3vq7zj5n2xw4ryt6mbd.cname.example.net.\"\n  ttl   = 3600\n}"
           *           },
           *           "findings": [],
           *           "createdAt": "2026-11-20T09:30:00.000Z",
           *           "nextCheckAt": "2026-11-20T09:31:00.000Z"
           *         }
           *       }
           *     ]
           */
          "application/json": components["schemas"]["DomainAdditions"];
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
        /** @description The domain, in Unicode or in Punycode. Case makes no difference. */
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
           *       "project": "docs",
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
        /** @description The domain, in Unicode or in Punycode. Case makes no difference. */
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The domain is removed. */
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
        /** @description The domain, in Unicode or in Punycode. Case makes no difference. */
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The domain with the findings and every DNS response of this check. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hostname": "docs.example.org",
           *       "unicode": "docs.example.org",
           *       "project": "docs",
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
        /** @description The domain, in Unicode or in Punycode. Case makes no difference. */
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The primary domain. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hostname": "docs.example.org",
           *       "unicode": "docs.example.org",
           *       "project": "docs",
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
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description The project's slug. */
        slug: string;
        /** @description The domain, in Unicode or in Punycode. Case makes no difference. */
        hostname: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The events. */
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
      /** @description The new configuration. */
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
  checkDomain: {
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
         *       "hostname": "docs.example.org",
         *       "target": "k3vq7zj5n2xw4ryt6mbd.cname.example.net"
         *     }
         */
        "application/json": components["schemas"]["NewDomainCheck"];
      };
    };
    responses: {
      /** @description What the DNS says about the name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "hostname": "docs.example.org",
           *       "unicode": "docs.example.org",
           *       "verdict": "missing",
           *       "message": "docs.example.org does not have its records yet: create them at your DNS provider.",
           *       "record": {
           *         "type": "CNAME",
           *         "name": "docs",
           *         "value": "k3vq7zj5n2xw4ryt6mbd.cname.example.net",
           *         "ttl": 3600,
           *         "bind": "docs.example.org. 3600 IN CNAME k3vq7zj5n2xw4ryt6mbd.cname.example.net.",
           *         "terraform": "resource \"dns_cname_record\" \"docs_example_org\" {\n  zone  = \"example.org.\"\n  name  = \"docs\"\n  cname = \"k3vq7zj5n2xw4ryt6mbd.cname.example.net.\"\n  ttl   = 3600\n}"
           *       },
           *       "findings": [
           *         {
           *           "kind": "no_record",
           *           "name": "docs.example.org",
           *           "type": "CNAME",
           *           "expected": [
           *             "k3vq7zj5n2xw4ryt6mbd.cname.example.net"
           *           ],
           *           "message": "docs.example.org has no CNAME record: create one with the value k3vq7zj5n2xw4ryt6mbd.cname.example.net."
           *         }
           *       ],
           *       "trace": {
           *         "target": "k3vq7zj5n2xw4ryt6mbd.cname.example.net",
           *         "zone": "example.org",
           *         "nameServers": [
           *           "192.0.2.1"
           *         ],
           *         "chain": [
           *           "docs.example.org"
           *         ],
           *         "targetAddresses": [
           *           "192.0.2.80"
           *         ],
           *         "caa": [],
           *         "questions": [
           *           {
           *             "server": "192.0.2.1",
           *             "name": "docs.example.org",
           *             "type": "CNAME",
           *             "recursive": false,
           *             "transport": "udp",
           *             "outcome": "NXDOMAIN",
           *             "records": [],
           *             "milliseconds": 12,
           *             "command": "dig @192.0.2.1 docs.example.org. CNAME +norecurse +noadflag +nocookie"
           *           }
           *         ]
           *       }
           *     }
           */
          "application/json": components["schemas"]["DomainCheck"];
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
  listAuditEntries: {
    parameters: {
      query?: {
        /** @description Filter by actor: `key:3`, `person:2`, `key`, `person`, `operator` or `service`. */
        actor?: string;
        /** @description Filter by action. */
        action?:
          | "pet.added"
          | "pet.changed"
          | "pet.deleted"
          | "category.added"
          | "category.changed"
          | "category.deleted"
          | "order.placed"
          | "order.approved"
          | "order.completed"
          | "order.cancelled"
          | "order.erased"
          | "adopter.read"
          | "import.started"
          | "import.finished"
          | "export.animals"
          | "export.adopters"
          | "backup.taken"
          | "backup.restored"
          | "key.created"
          | "key.rotated"
          | "key.revoked"
          | "person.added"
          | "person.invited"
          | "person.joined"
          | "person.changed"
          | "person.passkey_added"
          | "person.passkey_removed"
          | "person.removed"
          | "session.opened"
          | "session.closed"
          | "session.refused"
          | "project.created"
          | "project.changed"
          | "project.deleted"
          | "deploy.published"
          | "deploy.activated"
          | "deploy.deleted"
          | "domain.added"
          | "domain.changed"
          | "domain.checked"
          | "domain.noticed"
          | "domain.removed";
        /** @description Filter by resource: a kind, or a kind and an id, such as `pet:7`. The kinds: `pet`, `category`, `order`, `adopter`, `import`, `export`, `backup`, `key`, `person`, `session`, `project`, `deploy`, `domain`. */
        resource?: string;
        /** @description Only entries from this time on. */
        since?: string;
        /** @description Only entries from before this time. */
        until?: string;
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 44,
           *         "at": "2026-11-20T09:32:00.000Z",
           *         "actor": {
           *           "kind": "key",
           *           "id": 3,
           *           "name": "front desk"
           *         },
           *         "action": "order.approved",
           *         "resource": {
           *           "kind": "order",
           *           "id": "26",
           *           "name": "Bella",
           *           "parent": {
           *             "kind": "pet",
           *             "id": "7"
           *           }
           *         },
           *         "changes": []
           *       },
           *       {
           *         "id": 43,
           *         "at": "2026-11-20T09:31:00.000Z",
           *         "actor": {
           *           "kind": "person",
           *           "id": 2,
           *           "name": "Maria"
           *         },
           *         "action": "pet.changed",
           *         "resource": {
           *           "kind": "pet",
           *           "id": "7",
           *           "name": "Bella"
           *         },
           *         "changes": [
           *           {
           *             "field": "status",
           *             "from": "available",
           *             "to": "pending"
           *           }
           *         ]
           *       }
           *     ]
           */
          "application/json": components["schemas"]["AuditEntries"];
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
  listKeyHistory: {
    parameters: {
      query?: {
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
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
      /** @description The entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 43,
           *         "at": "2026-11-20T09:31:00.000Z",
           *         "actor": {
           *           "kind": "person",
           *           "id": 2,
           *           "name": "Maria"
           *         },
           *         "action": "key.created",
           *         "resource": {
           *           "kind": "key",
           *           "id": "3",
           *           "name": "front desk"
           *         },
           *         "changes": []
           *       }
           *     ]
           */
          "application/json": components["schemas"]["AuditEntries"];
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
  listPersonHistory: {
    parameters: {
      query?: {
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path: {
        /** @description Id of the person. */
        personId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 43,
           *         "at": "2026-11-20T09:31:00.000Z",
           *         "actor": {
           *           "kind": "person",
           *           "id": 2,
           *           "name": "Maria"
           *         },
           *         "action": "person.added",
           *         "resource": {
           *           "kind": "person",
           *           "id": "3",
           *           "name": "Ada Byron"
           *         },
           *         "changes": []
           *       }
           *     ]
           */
          "application/json": components["schemas"]["AuditEntries"];
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
  listProjectHistory: {
    parameters: {
      query?: {
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
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
      /** @description The entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 43,
           *         "at": "2026-11-20T09:31:00.000Z",
           *         "actor": {
           *           "kind": "person",
           *           "id": 2,
           *           "name": "Maria"
           *         },
           *         "action": "deploy.published",
           *         "resource": {
           *           "kind": "deploy",
           *           "id": "12",
           *           "parent": {
           *             "kind": "project",
           *             "id": "docs"
           *           }
           *         },
           *         "changes": []
           *       }
           *     ]
           */
          "application/json": components["schemas"]["AuditEntries"];
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
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
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
        /** @description `true` revokes the key even if no administrator or other key can grant all of its scopes. */
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
  listPeople: {
    parameters: {
      query?: {
        /** @description Maximum number of items returned. */
        limit?: number;
        /** @description Where the page starts. Take it from the header `Next-Cursor` or `Link` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The people. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example [
           *       {
           *         "id": 3,
           *         "name": "Ada Byron",
           *         "email": "ada@example.org",
           *         "role": "volunteer",
           *         "createdAt": "2026-11-20T09:30:00.000Z",
           *         "lastSeenAt": "2026-11-20T10:00:00.000Z",
           *         "passkeys": [
           *           {
           *             "id": 4,
           *             "name": "Ada's phone",
           *             "createdAt": "2026-11-20T09:31:00.000Z"
           *           }
           *         ],
           *         "signsInWith": []
           *       }
           *     ]
           */
          "application/json": components["schemas"]["People"];
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
  addPerson: {
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
         *       "name": "Ada Byron",
         *       "email": "ada@example.org",
         *       "role": "volunteer"
         *     }
         */
        "application/json": components["schemas"]["NewPerson"];
      };
    };
    responses: {
      /** @description The person and their invitation. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "name": "Ada Byron",
           *       "email": "ada@example.org",
           *       "role": "volunteer",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "invitedUntil": "2026-11-27T09:30:00.000Z",
           *       "passkeys": [],
           *       "signsInWith": [],
           *       "invitation": {
           *         "link": "https://shelter.example.org/console/invitation#(43 characters)",
           *         "expiresAt": "2026-11-27T09:30:00.000Z"
           *       }
           *     }
           */
          "application/json": components["schemas"]["InvitedPerson"];
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
  getPerson: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the person. */
        personId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The person. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "name": "Ada Byron",
           *       "email": "ada@example.org",
           *       "role": "volunteer",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "lastSeenAt": "2026-11-20T10:00:00.000Z",
           *       "passkeys": [
           *         {
           *           "id": 4,
           *           "name": "Ada's phone",
           *           "createdAt": "2026-11-20T09:31:00.000Z"
           *         }
           *       ],
           *       "signsInWith": []
           *     }
           */
          "application/json": components["schemas"]["Person"];
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
  removePerson: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the person. */
        personId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The person is removed. */
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
  changePerson: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the person. */
        personId: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "role": "staff"
         *     }
         */
        "application/json": components["schemas"]["PersonChange"];
      };
    };
    responses: {
      /** @description The person. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "name": "Ada Byron",
           *       "email": "ada@example.org",
           *       "role": "volunteer",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "lastSeenAt": "2026-11-20T10:00:00.000Z",
           *       "passkeys": [
           *         {
           *           "id": 4,
           *           "name": "Ada's phone",
           *           "createdAt": "2026-11-20T09:31:00.000Z"
           *         }
           *       ],
           *       "signsInWith": []
           *     }
           */
          "application/json": components["schemas"]["Person"];
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
  invitePerson: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the person. */
        personId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The person and their invitation. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "id": 3,
           *       "name": "Ada Byron",
           *       "email": "ada@example.org",
           *       "role": "volunteer",
           *       "createdAt": "2026-11-20T09:30:00.000Z",
           *       "invitedUntil": "2026-11-27T09:30:00.000Z",
           *       "passkeys": [],
           *       "signsInWith": [],
           *       "invitation": {
           *         "link": "https://shelter.example.org/console/invitation#(43 characters)",
           *         "expiresAt": "2026-11-27T09:30:00.000Z"
           *       }
           *     }
           */
          "application/json": components["schemas"]["InvitedPerson"];
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
  removePasskey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the person. */
        personId: number;
        /** @description Id of the passkey. */
        passkeyId: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The passkey is removed. */
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
      /** @description Not modified: the client already has the current version. */
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
      /** @description Not modified: the client already has the current version. */
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
