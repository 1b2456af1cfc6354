-- A person's responses must never be replayed to a key with the same number: a caller is `key:1` or `person:1`.
CREATE TABLE `__new_answers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`caller` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`status` integer NOT NULL,
	`headers` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_answers`("id", "caller", "idempotency_key", "fingerprint", "status", "headers", "body", "created_at") SELECT "id", 'key:' || "key_id", "idempotency_key", "fingerprint", "status", "headers", "body", "created_at" FROM `answers`;--> statement-breakpoint
DROP TABLE `answers`;--> statement-breakpoint
ALTER TABLE `__new_answers` RENAME TO `answers`;--> statement-breakpoint
CREATE UNIQUE INDEX `answers_by_key` ON `answers` (`caller`,`idempotency_key`);--> statement-breakpoint
CREATE INDEX `answers_of_caller` ON `answers` (`caller`);
