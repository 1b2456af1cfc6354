CREATE TABLE `sealing_keys` (
	`one` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	CONSTRAINT "sealing_keys_one" CHECK("sealing_keys"."one" = 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `__new_browser_states` (
	`hash` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`holder` text,
	`sealed` text NOT NULL,
	`used_at` integer NOT NULL,
	`until` integer NOT NULL,
	CONSTRAINT "browser_states_kind" CHECK("__new_browser_states"."kind" in ('session', 'sign_in_link', 'used_challenge'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_browser_states`("hash", "kind", "holder", "sealed", "used_at", "until") SELECT "hash", "kind", "holder", "sealed", "used_at", "until" FROM `browser_states` WHERE `kind` = 'session';--> statement-breakpoint
DROP TABLE `browser_states`;--> statement-breakpoint
ALTER TABLE `__new_browser_states` RENAME TO `browser_states`;--> statement-breakpoint
CREATE INDEX `browser_states_by_use` ON `browser_states` (`kind`,`used_at`);