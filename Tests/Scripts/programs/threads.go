// What Go programs do with libvestry in many goroutines at once:
//
//	threads GOROUTINES READS
//
// There are items "s" "0" to "7", each with its account for a secret, and no screen is
// open. Goroutines change threads, start programs, and get signals meanwhile. Panics when something is wrong.
package main

// #cgo pkg-config: vestry
// #include <stdlib.h>
// #include <vestry.h>
import "C"

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func is(what string, got, expected interface{}) {
	if got != expected {
		panic(fmt.Sprintf("%s: %v instead of %v", what, got, expected))
	}
}

func opened(flags C.uint) *C.vestry_keychain {
	var keychain *C.vestry_keychain
	is("open", C.vestry_keychain_open(flags, &keychain), C.int(C.VESTRY_OK))
	return keychain
}

// read finds an item, and none, and that the reason of the second is this thread's.
func read(keychain *C.vestry_keychain, service, account, missing *C.char, expected string) {
	var secret *C.vestry_secret
	is("get", C.vestry_get(keychain, service, account, &secret), C.int(C.VESTRY_OK))
	bytes := unsafe.Slice((*byte)(C.vestry_secret_bytes(secret)), C.vestry_secret_length(secret))
	is("secret", string(bytes), expected)
	C.vestry_secret_free(secret)
	runtime.LockOSThread()
	is("missing", C.vestry_get(keychain, service, missing, &secret), C.int(C.VESTRY_NOT_FOUND))
	is("null", secret == nil, true)
	is("last error", strings.HasPrefix(C.GoString(C.vestry_last_error()), "no such item"), true)
	runtime.UnlockOSThread()
}

// write changes an item of its own, and lists all of them.
func write(keychain *C.vestry_keychain, account string, times int) {
	service, name := C.CString("t"), C.CString(account)
	for number := 0; number < times; number++ {
		bytes := []byte(strconv.Itoa(number))
		is("set", C.vestry_set(keychain, service, name, unsafe.Pointer(&bytes[0]), C.size_t(len(bytes))),
			C.int(C.VESTRY_OK))
		var list *C.vestry_list
		is("list", C.vestry_list_items(keychain, nil, &list), C.int(C.VESTRY_OK))
		is("count", C.vestry_list_count(list) >= 9, true)
		C.vestry_list_free(list)
	}
	is("delete", C.vestry_delete(keychain, service, name), C.int(C.VESTRY_OK))
	C.free(unsafe.Pointer(service))
	C.free(unsafe.Pointer(name))
}

// wait sleeps until the time is over, although its thread gets signals.
func wait(keychain *C.vestry_keychain) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGUSR1)
	thread := syscall.Gettid()
	over := make(chan bool)
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(5 * time.Millisecond):
				syscall.Tgkill(os.Getpid(), thread, syscall.SIGUSR1)
			}
		}
	}()
	words := C.CString(C.VESTRY_WHEN_UNLOCKED)
	begin := time.Now()
	is("wait", C.vestry_wait(keychain, words, 300), C.int(C.VESTRY_TIMED_OUT))
	is("waited", time.Since(begin) >= 300*time.Millisecond, true)
	close(over)
	<-received
	C.free(unsafe.Pointer(words))
}

func main() {
	goroutines, _ := strconv.Atoi(os.Args[1])
	reads, _ := strconv.Atoi(os.Args[2])
	keychains := []*C.vestry_keychain{opened(0), opened(C.VESTRY_KEEP_OPEN)}
	var all sync.WaitGroup
	begin := func(work func()) {
		all.Add(1)
		go func() {
			defer all.Done()
			work()
		}()
	}
	for number := 0; number < goroutines; number++ {
		keychain, expected := keychains[number%2], strconv.Itoa(number/2%8)
		begin(func() {
			service, account, missing := C.CString("s"), C.CString(expected), C.CString("no")
			for count := 0; count < reads; count++ {
				read(keychain, service, account, missing, expected)
			}
			for _, text := range []*C.char{service, account, missing} {
				C.free(unsafe.Pointer(text))
			}
		})
	}
	for number := 0; number < 4; number++ {
		keychain, account := keychains[number%2], strconv.Itoa(number)
		begin(func() { write(keychain, account, 10) })
	}
	begin(func() { wait(keychains[0]) })
	begin(func() {
		for count := 0; count < 20; count++ {
			is("program", exec.Command("/bin/true").Run(), nil)
		}
	})
	all.Wait()
	for _, keychain := range keychains {
		C.vestry_keychain_close(keychain)
	}
	fmt.Println("done")
}
