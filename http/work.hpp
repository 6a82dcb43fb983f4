#pragma once

#include "http/exchange.hpp"

namespace callboard::http {

// Who brings work
task<response> enqueue_work(exchange& x);

// Who does it
task<response> claim_work(exchange& x);
task<response> beat_work(exchange& x);
task<response> complete_work(exchange& x);
task<response> complete_many(exchange& x);
task<response> fail_work(exchange& x);
task<response> release_work(exchange& x);

// Who watches over it
task<response> cancel_work(exchange& x);
task<response> cancel_many(exchange& x);
task<response> show_work(exchange& x);
task<response> list_work(exchange& x);
task<response> explain_work(exchange& x);
task<response> show_work_stats(exchange& x);
task<response> list_dead(exchange& x);
task<response> redrive_dead(exchange& x);
task<response> list_queues(exchange& x);
task<response> show_queue_settings(exchange& x);
task<response> change_queue(exchange& x);
task<response> pause_queue(exchange& x);
task<response> resume_queue(exchange& x);

} // namespace callboard::http
