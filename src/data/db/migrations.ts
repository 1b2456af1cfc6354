import petNamesAndCounts from "../../../drizzle/0016_pet_names_and_counts.sql" with { type: "text" };
import audit from "../../../drizzle/0015_audit.sql" with { type: "text" };
import importColumns from "../../../drizzle/0012_import_columns.sql" with { type: "text" };
import lazyPetIndex from "../../../drizzle/0020_lazy_pet_index.sql" with { type: "text" };
import browserStates from "../../../drizzle/0021_browser_states.sql" with { type: "text" };
import sealedCeremonies from "../../../drizzle/0022_sealed_ceremonies.sql" with { type: "text" };
import activeDeploy from "../../../drizzle/0024_projects_by_active_deploy.sql" with { type: "text" };
import sessionDevices from "../../../drizzle/0023_session_devices.sql" with { type: "text" };
import callers from "../../../drizzle/0013_callers.sql" with { type: "text" };
import imports from "../../../drizzle/0005_imports.sql" with { type: "text" };
import revisions from "../../../drizzle/0011_revisions.sql" with { type: "text" };
import rejectedHash from "../../../drizzle/0008_rejected_hash.sql" with { type: "text" };
import rejectedFile from "../../../drizzle/0006_rejected_file.sql" with { type: "text" };
import domainsByName from "../../../drizzle/0019_domains_by_name.sql" with { type: "text" };
import certificates from "../../../drizzle/0003_certificates.sql" with { type: "text" };
import orderWords from "../../../drizzle/0014_order_words.sql" with { type: "text" };
import people from "../../../drizzle/0017_people.sql" with { type: "text" };
import notices from "../../../drizzle/0018_notices.sql" with { type: "text" };
import longerWords from "../../../drizzle/0007_longer_words.sql" with { type: "text" };
import noReleasedNames from "../../../drizzle/0010_no_released_names.sql" with { type: "text" };
import platform from "../../../drizzle/0001_platform.sql" with { type: "text" };
import releasedNames from "../../../drizzle/0002_released_names.sql" with { type: "text" };
import shop from "../../../drizzle/0004_shop.sql" with { type: "text" };
import storeIdentity from "../../../drizzle/0009_store_identity.sql" with { type: "text" };
import store from "../../../drizzle/0000_store.sql" with { type: "text" };
import schema from "../../../drizzle/squashed/0019_domains_by_name.sql" with { type: "text" };

export interface Migration {
  /** The name that drizzle-kit gave the file. */
  readonly tag: string;
  readonly sql: string;
}

/** The files of `drizzle/`, embedded, in order. Drizzle's own runner reads a folder, which an executable lacks. */
export const migrations: readonly Migration[] = [
  { tag: "0000_store", sql: store },
  { tag: "0001_platform", sql: platform },
  { tag: "0002_released_names", sql: releasedNames },
  { tag: "0003_certificates", sql: certificates },
  { tag: "0004_shop", sql: shop },
  { tag: "0005_imports", sql: imports },
  { tag: "0006_rejected_file", sql: rejectedFile },
  { tag: "0007_longer_words", sql: longerWords },
  { tag: "0008_rejected_hash", sql: rejectedHash },
  { tag: "0009_store_identity", sql: storeIdentity },
  { tag: "0010_no_released_names", sql: noReleasedNames },
  { tag: "0011_revisions", sql: revisions },
  { tag: "0012_import_columns", sql: importColumns },
  { tag: "0013_callers", sql: callers },
  { tag: "0014_order_words", sql: orderWords },
  { tag: "0015_audit", sql: audit },
  { tag: "0016_pet_names_and_counts", sql: petNamesAndCounts },
  { tag: "0017_people", sql: people },
  { tag: "0018_notices", sql: notices },
  { tag: "0019_domains_by_name", sql: domainsByName },
  { tag: "0020_lazy_pet_index", sql: lazyPetIndex },
  { tag: "0021_browser_states", sql: browserStates },
  { tag: "0022_sealed_ceremonies", sql: sealedCeremonies },
  { tag: "0023_session_devices", sql: sessionDevices },
  { tag: "0024_projects_by_active_deploy", sql: activeDeploy },
];

/**
 * The schema after the migration of that name, in one piece. A new database begins with it and continues with the later
 * migrations: that takes half the time. It stays right when a migration is added, and need not be renewed then.
 */
export const SQUASHED: Migration = { tag: "0019_domains_by_name", sql: schema };
