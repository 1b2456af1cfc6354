ALTER TABLE `certificates` ADD `is_requested` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `certificates` ADD `attempt_since` integer;--> statement-breakpoint
ALTER TABLE `certificates` ADD `revision` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `pets` ADD `revision` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- One number said all three: 0 that somebody asks, a negative time that an attempt is under way since then.
UPDATE `certificates` SET `is_requested` = true WHERE `next_at` = 0;--> statement-breakpoint
UPDATE `certificates` SET `attempt_since` = -`next_at`, `next_at` = 0 WHERE `next_at` < 0;
