public import Glibc

/// Sleeps until one of the descriptors has what is waited for, the time is over, or a signal came.
///
/// - Parameters:
///   - entries: As poll(2) has them; `revents` says which it was.
///   - duration: How long at most, a day at the longest; nil for ever.
public func poll(_ entries: inout [pollfd], atMost duration: Duration?) {
    for index in entries.indices { entries[index].revents = 0 }
    let timeout = duration?.pollMilliseconds ?? -1
    if unsafe Glibc.poll(&entries, nfds_t(entries.count), timeout) == -1 {
        // What it wrote there then is not said.
        for index in entries.indices { entries[index].revents = 0 }
    }
}
